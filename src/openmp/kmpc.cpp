// The interface that Clang (and Intel's compilers) compile for: regions, worksharing, synchronisation. What each function is
// called with is seen in the compiler's output (-S -emit-llvm).
#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "doacross.hpp"
#include "exclusion.hpp"
#include "league.hpp"
#include "loop.hpp"
#include "reduction.hpp"
#include "team.hpp"

using namespace weir::openmp;

namespace {

struct place;  // of a directive in the source; we do not look at it
using microtask = void (*)(int* global, int* bound, ...);

// ---- regions: the compiler's function takes its variables' addresses one by one

constexpr std::size_t most_exact = 64, most_arguments = 512;

template <std::size_t>
using pointer = void*;
template <std::size_t... I>
void call_with(microtask run, int* global, int* bound, void** with, std::index_sequence<I...>) {
  reinterpret_cast<void (*)(int*, int*, pointer<I>...)>(run)(global, bound, with[I]...);
}
using caller = void (*)(microtask, int*, int*, void**);
template <std::size_t... N>
constexpr std::array<caller, sizeof...(N)> callers(std::index_sequence<N...>) {
  return {[](microtask run, int* global, int* bound, void** with) {
    call_with(run, global, bound, with, std::make_index_sequence<N>());
  }...};
}
constexpr auto call = callers(std::make_index_sequence<most_exact + 1>());

struct call_of {
  microtask run;
  int count;
  void** with;
};

void run_call(void* what) {
  const auto& c = *static_cast<const call_of*>(what);
  int global = global_number(), bound = 0;
  if (const auto count = static_cast<std::size_t>(c.count); count <= most_exact) [[likely]]
    call[count](c.run, &global, &bound, c.with);
  else  // who is called looks at its own alone: the caller takes arguments away again
    call_with(c.run, &global, &bound, c.with, std::make_index_sequence<most_arguments>());
}

thread_local unsigned asked_for = 0;  // by num_threads, for the region that comes next

// By num_teams and thread_limit, for the league that comes next.
thread_local int teams_asked_for = 0, limit_asked_for = 0;

void take(void** with, int count, va_list& rest) {
  if (count > static_cast<int>(most_arguments)) {
    std::fprintf(stderr, "weir: a region shares %d variables; at most %zu can be passed\n", count, most_arguments);
    std::abort();
  }
  for (int i = 0; i < count; ++i) with[i] = va_arg(rest, void*);
  if (count > static_cast<int>(most_exact)) std::fill(with + count, with + most_arguments, nullptr);
}

// ---- loops

enum : int { static_chunked = 33, static_block = 34, dynamic = 35, guided = 36, at_run_time = 37, automatic = 38 };
constexpr int ordered_from = 64, unordered = 32, distribute_chunked = 91, distribute_block = 92, no_merge = 160;
constexpr int modifiers = 3 << 29;

/// The kind without its modifiers, as one of the six above.
int plain(int kind, bool* ordered = nullptr) {
  kind &= ~modifiers;
  if (kind >= no_merge) kind -= no_merge - unordered;
  const bool in_order = kind > ordered_from && kind < distribute_chunked;
  if (ordered != nullptr) *ordered = in_order;
  return in_order ? kind - ordered_from + unordered : kind;
}

loop_plan plan_of(int kind, std::uint64_t trips, std::uint64_t chunk) {
  switch (kind) {
    case static_chunked: return {schedule_kind::static_, trips, chunk};
    case static_block:
    case automatic: return {schedule_kind::static_, trips, 0};
    case guided: return {schedule_kind::guided, trips, std::max<std::uint64_t>(chunk, 1)};
    case at_run_time: {
      const schedule s = self().icv.run_schedule;
      if (s.kind == schedule_kind::auto_) return {schedule_kind::static_, trips, 0};
      const auto given = static_cast<std::uint64_t>(s.chunk);
      return {s.kind, trips, s.kind == schedule_kind::static_ ? given : std::max<std::uint64_t>(given, 1)};
    }
    default: return {schedule_kind::dynamic, trips, std::max<std::uint64_t>(chunk, 1)};
  }
}

/// Of a loop whose last value is `upper` or before it.
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

/// An empty part: its end lies before its beginning.
template <class T, class S>
void no_part(int* last, T* lower, T* upper, S* stride, S step) {
  *lower = value(*upper, step, 1);
  *stride = step;
  if (last != nullptr) *last = 0;
}

/// A static loop: each member works out its own part, and nobody is asked.
template <class T, class S>
void own_part(int kind, int* last, T* lower, T* upper, S* stride, S step, S chunk) {
  const member& me = self();
  const std::uint64_t trips = trips_of(*lower, *upper, step);
  const T begin = *lower;
  if (trips == 0) {
    if (last != nullptr) *last = 0;
    *stride = step;
    return;
  }
  const int what = plain(kind);
  const bool of_league = what == distribute_chunked || what == distribute_block;  // shared out among its teams
  const auto size = of_league ? static_cast<std::uint64_t>(me.icv.teams) : me.of->size;
  const auto number = of_league ? static_cast<std::uint64_t>(me.icv.team) : me.number;
  if ((what == static_chunked || what == distribute_chunked) && chunk > 0) {
    // The bounds stay within the loop, and the step to the next chunk at most right behind it: beyond, they could leave the
    // type, and come back as iterations that there are not.
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
  const std::uint64_t share = trips / size, more = trips % size;
  const std::uint64_t from = number * share + std::min(number, more), count = share + (number < more ? 1 : 0);
  if (count == 0) {
    no_part(last, lower, upper, stride, step);
    return;
  }
  *stride = static_cast<S>(static_cast<std::uint64_t>(step) * trips);
  *lower = value(begin, step, from);
  *upper = value(begin, step, from + count - 1);
  if (last != nullptr) *last = from + count == trips;
}

template <class T, class S>
void begin_shared(int kind, T lower, T upper, S step, S chunk) {
  member& me = self();
  bool ordered = false;
  const int what = plain(kind, &ordered);
  begin_loop(me, plan_of(what, trips_of(lower, upper, step), chunk > 0 ? static_cast<std::uint64_t>(chunk) : 0));
  me.first = static_cast<std::uint64_t>(lower);
  me.step = static_cast<std::uint64_t>(static_cast<std::int64_t>(step));
  me.bound = ordered ? 1 : 0;
}

template <class T, class S>
int next_shared(int* last, T* lower, T* upper, S* stride) {
  member& me = self();
  if (!next_chunk(me, me.bound != 0)) {
    end_loop(me);
    return 0;
  }
  *lower = static_cast<T>(me.first + me.begin * me.step);
  *upper = static_cast<T>(me.first + (me.end - 1) * me.step);
  if (stride != nullptr) *stride = static_cast<S>(me.step);
  if (last != nullptr) *last = me.end == me.in_loop->plan.trips;
  return 1;
}

}  // namespace

extern "C" {

int __kmpc_global_thread_num(place*) { return global_number(); }
int __kmpc_global_num_threads(place*) { return static_cast<int>(self().of->size); }
int __kmpc_bound_thread_num(place*) { return static_cast<int>(self().number); }
int __kmpc_bound_num_threads(place*) { return static_cast<int>(self().of->size); }
int __kmpc_in_parallel(place*) { return self().of->active_level > 0; }
int __kmpc_ok_to_fork(place*) { return 1; }
void __kmpc_begin(place*, int) {}
void __kmpc_end(place*) {}

void __kmpc_push_num_threads(place*, int, int threads) { asked_for = threads > 0 ? static_cast<unsigned>(threads) : 0; }
void __kmpc_push_proc_bind(place*, int, int) {}

void __kmpc_fork_call(place*, int count, microtask run, ...) {
  void* with[most_arguments];
  va_list rest;
  va_start(rest, run);
  take(with, count, rest);
  va_end(rest);
  call_of c{run, count, with};
  fork(run_call, &c, std::exchange(asked_for, 0));
}

void __kmpc_fork_call_if(place*, int count, microtask run, int condition, void* with) {
  call_of c{run, count, &with};
  if (const unsigned asked = std::exchange(asked_for, 0); condition != 0)
    fork(run_call, &c, asked);
  else
    fork_alone(run_call, &c);
}

void __kmpc_push_num_teams(place*, int, int teams, int limit) {
  teams_asked_for = teams;
  limit_asked_for = limit;
}
void __kmpc_push_num_teams_51(place*, int, int least, int, int limit) {
  teams_asked_for = least;
  limit_asked_for = limit;
}
void __kmpc_set_thread_limit(place*, int, int limit) { limit_asked_for = limit; }
void __kmpc_fork_teams(place*, int count, microtask run, ...) {
  void* with[most_arguments];
  va_list rest;
  va_start(rest, run);
  take(with, count, rest);
  va_end(rest);
  call_of c{run, count, with};
  execute_league(std::exchange(teams_asked_for, 0), std::exchange(limit_asked_for, 0), [&c] { run_call(&c); });
}

void __kmpc_serialized_parallel(place*, int) {
  asked_for = 0;
  begin_alone();
}
void __kmpc_end_serialized_parallel(place*, int) { end_alone(); }

void __kmpc_barrier(place*, int) { barrier(self()); }
int __kmpc_cancel_barrier(place*, int) {
  barrier(self());
  return 0;
}
int __kmpc_cancel(place*, int, int) { return 0; }
int __kmpc_cancellationpoint(place*, int, int) { return 0; }
void __kmpc_flush(place*) { std::atomic_thread_fence(std::memory_order_seq_cst); }  // that is what the directive is

int __kmpc_single(place*, int) { return takes_single(self()); }
void __kmpc_end_single(place*, int) {}
int __kmpc_master(place*, int) { return self().number == 0; }
void __kmpc_end_master(place*, int) {}
int __kmpc_masked(place*, int, int filter) { return static_cast<int>(self().number) == filter; }
void __kmpc_end_masked(place*, int) {}

void __kmpc_copyprivate(place*, int, std::size_t, void* values, void (*copy)(void*, void*), int mine) {
  member& me = self();
  if (mine != 0) me.of->copied = values;
  barrier(me);
  if (mine == 0) copy(values, me.of->copied);
  barrier(me);  // before the values may go
}

// The compiler's name for a critical section is 32 bytes that begin as zeros: as much as a lock needs.
void __kmpc_critical(place*, int, lock* its) { its->take(); }
void __kmpc_critical_with_hint(place*, int, lock* its, unsigned) { its->take(); }
void __kmpc_end_critical(place*, int, lock* its) { its->release(); }

void __kmpc_ordered(place*, int) { wait_for_turn(self()); }
void __kmpc_end_ordered(place*, int) {}

int __kmpc_reduce_nowait(place*, int, int, std::size_t, void* values, combine with, lock*) { return gather(self(), values, with, true); }
void __kmpc_end_reduce_nowait(place*, int, lock*) {}
int __kmpc_reduce(place*, int, int, std::size_t, void* values, combine with, lock*) {
  member& me = self();
  end_tasks(me);  // it is a barrier too
  return gather(me, values, with, false);
}
void __kmpc_end_reduce(place*, int, lock*) { let_go(self()); }

#define STATIC(suffix, type, signed_type)                                                                                    \
  void __kmpc_for_static_init_##suffix(place*, int, int kind, int* last, type* lower, type* upper, signed_type* stride,      \
                                       signed_type step, signed_type chunk) {                                                \
    own_part(kind, last, lower, upper, stride, step, chunk);                                                                 \
  }                                                                                                                          \
  void __kmpc_dispatch_init_##suffix(place*, int, int kind, type lower, type upper, signed_type step, signed_type chunk) {   \
    begin_shared(kind, lower, upper, step, chunk);                                                                           \
  }                                                                                                                          \
  int __kmpc_dispatch_next_##suffix(place*, int, int* last, type* lower, type* upper, signed_type* stride) {                 \
    return next_shared(last, lower, upper, stride);                                                                          \
  }                                                                                                                          \
  void __kmpc_dispatch_fini_##suffix(place*, int) {}
STATIC(4, std::int32_t, std::int32_t)
STATIC(4u, std::uint32_t, std::int32_t)
STATIC(8, std::int64_t, std::int64_t)
STATIC(8u, std::uint64_t, std::int64_t)
#undef STATIC
void __kmpc_for_static_fini(place*, int) {}

struct kmp_dimension {
  std::int64_t first, last, step;
};
void __kmpc_doacross_init(place*, int, int count, const kmp_dimension* its) {
  dimension dimensions[64];
  for (int i = 0; i < count && i < 64; ++i)
    dimensions[i] = {its[i].first, its[i].last, its[i].step, trips_of(its[i].first, its[i].last, its[i].step)};
  begin_doacross(self(), dimensions, static_cast<unsigned>(std::min(count, 64)));
}
void __kmpc_doacross_post(place*, int, const std::int64_t* values) { post(self(), values); }
void __kmpc_doacross_wait(place*, int, const std::int64_t* values) { wait_for(self(), values); }
void __kmpc_doacross_fini(place*, int) { end_doacross(self()); }
void __kmpc_dispatch_deinit(place*, int) {}

}  // extern "C"
