// Loops, distribute, sections and doacross nests, as Clang and Intel's compilers compile them. The arguments of each function are
// visible in the compiler's output (-S -emit-llvm).
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "openmp/kmpc/interface.hpp"
#include "openmp/teams/team.hpp"
#include "openmp/worksharing/doacross.hpp"
#include "openmp/worksharing/loop.hpp"

using namespace weir::openmp;

namespace {

// ---- schedules

enum : int {
  static_chunked = 33,
  static_block = 34,
  dynamic = 35,
  guided = 36,
  at_run_time = 37,
  automatic = 38,
  trapezoidal = 39,
  // With the simd modifier, which may round the size of a chunk.
  simd_static_chunked = 45,
  simd_guided = 46,
  simd_at_run_time = 47,
  distribute_chunked = 91,
  distribute_block = 92,
};
constexpr int unordered = 32, ordered_from = 64, ordered_to = 80, no_merge = 160;
constexpr int monotonic = 1 << 29, nonmonotonic = 1 << 30, modifiers = monotonic | nonmonotonic;

/// The kind without its modifiers, except simd.
int plain(int kind, bool* ordered = nullptr) {
  kind &= ~modifiers;
  if (kind >= no_merge) kind -= no_merge - unordered;
  const bool in_order = kind > ordered_from && kind < ordered_to;
  if (ordered != nullptr) *ordered = in_order;
  return in_order ? kind - (ordered_from - unordered) : kind;
}

bool of_league(int plain_kind) { return plain_kind == distribute_chunked || plain_kind == distribute_block; }

loop_plan plan_of(int plain_kind, std::uint64_t chunk, std::uint64_t trips, order in) {
  switch (plain_kind) {
    case static_chunked:
    case simd_static_chunked: return plan_of(schedule_kind::static_, chunk, trips, in);
    case static_block: return plan_of(schedule_kind::static_, 0, trips, in);
    case automatic: return plan_of(schedule_kind::auto_, 0, trips, in);
    case guided:
    case simd_guided: return plan_of(schedule_kind::guided, chunk, trips, in);
    case trapezoidal: return plan_of(schedule_kind::trapezoidal, chunk, trips, in);
    case at_run_time: return plan_at_run_time(trips, in);
    case simd_at_run_time: return plan_at_run_time(trips, in, chunk);  // here the chunk is the width of a vector
    default: return plan_of(schedule_kind::dynamic, chunk, trips, in);
  }
}

/// The number of iterations of a loop whose last value is `upper`, or the last one before it.
template <class T, class S>
std::uint64_t trips_of(T lower, T upper, S step) {
  const auto l = static_cast<std::uint64_t>(lower), u = static_cast<std::uint64_t>(upper);
  if (step > 0) return lower <= upper ? (u - l) / static_cast<std::uint64_t>(step) + 1 : 0;
  return lower >= upper ? (l - u) / (0 - static_cast<std::uint64_t>(step)) + 1 : 0;
}

template <class T>
T value(T lower, std::int64_t step, std::uint64_t iteration) {
  return static_cast<T>(static_cast<std::uint64_t>(lower) + iteration * static_cast<std::uint64_t>(step));
}

/// An empty part: its end comes before its beginning.
template <class T, class S>
void no_part(int* last, T* lower, T* upper, S* stride, S step) {
  *lower = value(*upper, step, 1);
  *stride = step;
  if (last != nullptr) *last = 0;
}

/// A static loop is divided among participants: the members of a team, or the teams of a league.
struct participant {
  std::uint64_t number, size;
};
participant in_team() { return {self().number, self().of->size}; }
participant in_league() { return {static_cast<std::uint64_t>(self().icv.team), static_cast<std::uint64_t>(self().icv.teams)}; }

/// A static loop: each participant computes its own part without the others.
template <class T, class S>
void own_part(participant me, bool chunked, int* last, T* lower, T* upper, S* stride, S step, S chunk) {
  const auto [number, size] = me;
  const std::uint64_t trips = trips_of(*lower, *upper, step);
  const T begin = *lower;
  if (trips == 0) {
    if (last != nullptr) *last = 0;
    *stride = step;
    return;
  }
  if (chunked && chunk > 0) {
    // The bounds stay within the loop, and the stride to the next chunk leads at most to the end of the loop: a value beyond
    // could overflow the type, and come back as an iteration that does not exist.
    const std::uint64_t length = std::min(static_cast<std::uint64_t>(chunk), trips), chunks = (trips - 1) / length + 1;
    if (number >= chunks) {
      no_part(last, lower, upper, stride, step);
      return;
    }
    const std::uint64_t from = number * length, to = from + std::min(length, trips - from);
    *lower = value(begin, step, from);
    *upper = value(begin, step, to - 1);
    const std::uint64_t next = chunks - number > size ? size * length : trips - from;
    *stride = static_cast<S>(static_cast<std::uint64_t>(step) * next);
    if (last != nullptr) *last = (chunks - 1) % size == number;
    return;
  }
  const iterations block = block_of(number, size, trips);
  if (!block) {
    no_part(last, lower, upper, stride, step);
    return;
  }
  *stride = static_cast<S>(static_cast<std::uint64_t>(step) * trips);
  *lower = value(begin, step, block.begin);
  *upper = value(begin, step, block.end - 1);
  if (last != nullptr) *last = block.end == trips;
}

template <class T, class S>
void own_part(int kind, int* last, T* lower, T* upper, S* stride, S step, S chunk) {
  const int what = plain(kind);
  const bool chunked = what == static_chunked || what == simd_static_chunked || what == distribute_chunked;
  own_part(of_league(what) ? in_league() : in_team(), chunked, last, lower, upper, stride, step, chunk);
}

/// The team's block of a loop that is divided among the teams of a league.
template <class T, class S>
bool block_of_team(T* lower, T* upper, S step) {
  int last = 0;
  S none{};
  own_part(in_league(), false, &last, lower, upper, &none, step, S{0});
  return last != 0;
}

template <class T, class S>
void begin_dispatch(int kind, T lower, T upper, S step, S chunk) {
  bool ordered = false;
  const int what = plain(kind, &ordered);
  member& me = self();
  // Code without a modifier comes from a compiler for OpenMP before 5.0. The code of a doacross nest says nonmonotonic, but the
  // clause ordered(n) implies monotonic.
  const order in = (kind & nonmonotonic) != 0 && !ordered && me.in_doacross == nullptr ? order::nonmonotonic : order::monotonic;
  loop_plan plan = plan_of(what, chunk > 0 ? static_cast<std::uint64_t>(chunk) : 0, trips_of(lower, upper, step), in);
  plan.ordered = ordered;
  const auto stride = static_cast<std::uint64_t>(static_cast<std::int64_t>(step));
  // This interface needs no bound, and keeps there whether the loop is ordered.
  begin_loop(me, plan, static_cast<std::uint64_t>(lower), stride, ordered ? 1 : 0);
  me.forbids = member::worksharing_and_barriers;
}

template <class T, class S>
int next_dispatch(int* last, T* lower, T* upper, S* stride) {
  member& me = self();
  const iterations chunk = next_chunk(me, me.bound != 0);
  if (!chunk) {
    end_loop(me);
    return 0;
  }
  *lower = static_cast<T>(me.first + chunk.begin * me.step);
  *upper = static_cast<T>(me.first + (chunk.end - 1) * me.step);
  if (stride != nullptr) *stride = static_cast<S>(me.step);
  if (last != nullptr) *last = chunk.end == me.plan.trips;
  return 1;
}

// ---- doacross

struct kmp_dimension {
  std::int64_t first, last, step;
};

/// The description of a nest by __kmpc_doacross_init, until the nest's loop begins. Clang gives one iteration too many in each
/// dimension: the last value is the number of iterations, which are counted from 0. The bounds of the loop tell whether this is
/// the case.
using nest = std::vector<dimension>;
constinit thread_local nest* announced = nullptr;

/// Does the loop over the first dimension, and the dimensions that are collapsed with it, have this many iterations?
bool is_of(std::uint64_t trips, const nest& announced_nest, std::uint64_t less) {
  std::uint64_t product = 1;
  return std::ranges::any_of(announced_nest, [&](const dimension& d) { return (product *= d.trips - less) == trips; });
}

[[gnu::noinline]] void begin_announced_doacross(std::uint64_t trips) {
  const std::unique_ptr<nest> ending(std::exchange(announced, nullptr));
  if (!is_of(trips, *ending, 0) && is_of(trips, *ending, 1))
    for (dimension& d : *ending) {
      d.last -= d.step;
      --d.trips;
    }
  begin_doacross(self(), ending->data(), static_cast<unsigned>(ending->size()));
}

/// own_part() for a doacross loop. A separate function, so that a loop without doacross saves no registers.
template <class T, class S>
[[gnu::noinline]] void own_part_of_doacross(int kind, int* last, T* lower, T* upper, S* stride, S step, S chunk) {
  begin_announced_doacross(trips_of(*lower, *upper, step));
  own_part(kind, last, lower, upper, stride, step, chunk);
}

/// The program's code says how many sections there are only when it asks for the next one.
constexpr loop_plan sections_without_end{schedule_kind::dynamic, std::uint64_t{1} << 62, 1};

}  // namespace

extern "C" {

#define LOOPS(suffix, type, signed_type)                                                                                         \
  void __kmpc_for_static_init_##suffix(source_line*, int, int kind, int* last, type* lower, type* upper, signed_type* stride,    \
                                       signed_type step, signed_type chunk) {                                                    \
    if (announced != nullptr) [[unlikely]]                                                                                       \
      return own_part_of_doacross(kind, last, lower, upper, stride, step, chunk);                                                \
    own_part(kind, last, lower, upper, stride, step, chunk);                                                                     \
  }                                                                                                                              \
  void __kmpc_dispatch_init_##suffix(source_line*, int, int kind, type lower, type upper, signed_type step, signed_type chunk) { \
    if (announced != nullptr) [[unlikely]] begin_announced_doacross(trips_of(lower, upper, step));                               \
    begin_dispatch(kind, lower, upper, step, chunk);                                                                             \
  }                                                                                                                              \
  int __kmpc_dispatch_next_##suffix(source_line*, int, int* last, type* lower, type* upper, signed_type* stride) {               \
    return next_dispatch(last, lower, upper, stride);                                                                            \
  }                                                                                                                              \
  void __kmpc_dispatch_fini_##suffix(source_line*, int) {}                                                                       \
  /* distribute parallel for: the team's bound as well as the member's */                                                        \
  void __kmpc_dist_for_static_init_##suffix(source_line*, int, int kind, int* last, type* lower, type* upper, type* team_upper,  \
                                            signed_type* stride, signed_type step, signed_type chunk) {                          \
    const bool of_last_team = block_of_team(lower, upper, step);                                                                 \
    *team_upper = *upper;                                                                                                        \
    own_part(kind, last, lower, upper, stride, step, chunk);                                                                     \
    if (last != nullptr && !of_last_team) *last = 0;                                                                             \
  }                                                                                                                              \
  void __kmpc_dist_dispatch_init_##suffix(source_line*, int, int kind, int* last, type lower, type upper, signed_type step,      \
                                          signed_type chunk) {                                                                   \
    const bool of_last_team = block_of_team(&lower, &upper, step);                                                               \
    if (last != nullptr) *last = of_last_team;                                                                                   \
    begin_dispatch(kind, lower, upper, step, chunk);                                                                             \
  }                                                                                                                              \
  void __kmpc_team_static_init_##suffix(source_line*, int, int* last, type* lower, type* upper, signed_type* stride,             \
                                        signed_type step, signed_type chunk) {                                                   \
    own_part(distribute_chunked, last, lower, upper, stride, step, chunk);                                                       \
  }
LOOPS(4, std::int32_t, std::int32_t)
LOOPS(4u, std::uint32_t, std::int32_t)
LOOPS(8, std::int64_t, std::int64_t)
LOOPS(8u, std::uint64_t, std::int64_t)
#undef LOOPS
void __kmpc_for_static_fini(source_line*, int) {}

// A member has one chunk at a time, and chunks are taken in the order of the loop. So the member waits until the chunks before
// are done.
void __kmpc_ordered(source_line*, int) { begin_ordered(self()); }
void __kmpc_end_ordered(source_line*, int) { end_ordered(self()); }

int __kmpc_sections_init(source_line*, int) {
  member& me = self();
  begin_loop(me, sections_without_end);
  me.forbids = member::worksharing_and_barriers;
  return 1;
}
unsigned __kmpc_next_section(source_line*, int, int count) {
  member& me = self();
  const auto sections = static_cast<std::uint64_t>(count);
  const iterations chunk = next_chunk(me);
  return static_cast<unsigned>(chunk ? std::min(chunk.begin, sections) : sections);
}
void __kmpc_end_sections(source_line*, int) { end_loop(self()); }

void __kmpc_doacross_init(source_line*, int, int count, const kmp_dimension* dimensions) {
  delete announced;
  announced = new nest;
  for (const kmp_dimension& d : std::span(dimensions, static_cast<std::size_t>(count)))
    announced->push_back({d.first, d.last, d.step, trips_of(d.first, d.last, d.step)});
}
void __kmpc_doacross_post(source_line*, int, const std::int64_t* values) { post(self(), values); }
void __kmpc_doacross_wait(source_line*, int, const std::int64_t* values) { wait_for(self(), values); }
void __kmpc_doacross_fini(source_line*, int) {
  delete std::exchange(announced, nullptr);  // of a nest without a loop
  end_doacross(self());
}
void __kmpc_dispatch_deinit(source_line*, int) {}

}  // extern "C"
