// Loops, doacross nests, sections and scope, as GCC compiles them. The arguments of each function are visible in the compiler's
// output (-fdump-tree-ompexp).
#include "openmp/gomp/loops.hpp"

#include <algorithm>
#include <cstdarg>

#include "openmp/forking/barrier.hpp"
#include "openmp/gomp/flags.hpp"
#include "openmp/gomp/task_reduction.hpp"
#include "openmp/placing/team_binding.hpp"
#include "openmp/worksharing/doacross.hpp"

using namespace weir::openmp;

namespace {

using wide = unsigned long long;

std::uint64_t trips_of(long start, long end, long step) {
  const auto s = static_cast<std::uint64_t>(start), e = static_cast<std::uint64_t>(end), d = static_cast<std::uint64_t>(step);
  if (step > 0) return start < end ? (e - s - 1) / d + 1 : 0;
  return start > end ? (s - e - 1) / (0 - d) + 1 : 0;
}

std::uint64_t trips_of(bool up, wide start, wide end, wide step) {
  if (up) return start < end ? (end - start - 1) / step + 1 : 0;
  return start > end ? (start - end - 1) / (0 - step) + 1 : 0;
}

// ---- schedules

/// The plan for a schedule that is given by number: 0 is the schedule chosen at run time, 4 the same with the nonmonotonic
/// modifier, and the others are as in omp_sched_t; the highest bit means monotonic.
loop_plan plan_of_number(long number, std::uint64_t chunk, std::uint64_t trips) {
  constexpr long monotonic = 1L << 31;
  const order in = (number & monotonic) != 0 ? order::monotonic : order::nonmonotonic;
  const long kind = number & (monotonic - 1);
  return kind == 0 || kind == 4 ? plan_at_run_time(trips, in) : plan_of(static_cast<schedule_kind>(kind - 1), chunk, trips, in);
}

// ---- chunks

template <class T>
bool chunk(T* begin, T* end, bool ordered) {
  member& me = self();
  const iterations chunk = next_chunk(me, ordered);
  if (!chunk) return false;
  *begin = static_cast<T>(me.first + chunk.begin * me.step);
  // For the last chunk the bound itself: a step beyond it could overflow the type.
  *end = static_cast<T>(chunk.end == me.plan.trips ? me.bound : me.first + chunk.end * me.step);
  return true;
}

// ---- parts of a worksharing construct other than its iterations

/// On entry `*memory` is the number of bytes that the members need in common. A scan keeps its data there between its two halves,
/// and a conditional lastprivate variable keeps the iteration that gave the value. The bytes are zeros at first.
void give_memory(void** memory) {
  if (memory != nullptr) *memory = common_memory(self(), reinterpret_cast<std::uintptr_t>(*memory));
}

/// If `from` is null, the compiler's code divides the iterations itself, and calls only for the other parts of the construct.
template <class T>
bool start_loop(loop_plan plan, T start, T end, T step, T* from, T* to, bool ordered, void** reductions = nullptr,
                void** memory = nullptr) {
  begin_task_reductions(reductions);
  plan.monotonic |= ordered;
  plan.ordered = ordered;
  begin_loop(self(), plan, static_cast<std::uint64_t>(start), static_cast<std::uint64_t>(step),
             static_cast<std::uint64_t>(end));
  give_memory(memory);
  return from == nullptr || chunk(from, to, ordered);
}

void leave_loop() {
  member& me = self();
  end_loop(me);
  end_doacross(me);
}

// ---- doacross

template <class T>
bool start_doacross(unsigned count, const T* counts, loop_plan plan, T* from, T* to, void** reductions = nullptr,
                    void** memory = nullptr) {
  dimension dimensions[64];
  for (unsigned i = 0; i < count && i < 64; ++i) {
    const auto trips = static_cast<std::uint64_t>(counts[i]);
    dimensions[i] = {0, static_cast<std::int64_t>(trips) - 1, 1, trips};
  }
  begin_doacross(self(), dimensions, std::min(count, 64u));
  plan.monotonic = true;  // the clause ordered(n) implies it
  return start_loop<T>(plan, 0, static_cast<T>(plan.trips), 1, from, to, false, reductions, memory);
}

// The other numbers of the iteration are separate arguments.
void wait_for_iteration(std::int64_t first, va_list& rest) {
  member& me = self();
  const std::size_t count = me.in_doacross->dimensions.size();
  std::int64_t values[64] = {first};
  for (std::size_t i = 1; i < count && i < 64; ++i) values[i] = va_arg(rest, long);
  wait_for(me, values);
}

// ---- sections: a loop over their numbers, from 1

unsigned next_section() {
  member& me = self();
  const iterations chunk = next_chunk(me);
  return chunk ? static_cast<unsigned>(chunk.begin) + 1 : 0;
}

loop_plan plan_of_sections(unsigned count) { return {schedule_kind::dynamic, count, 1}; }

void fork_worksharing(worksharing_region shared_region, unsigned threads, unsigned flags) {
  request_proc_bind(proc_bind_in(flags));
  fork(run_worksharing, &shared_region, threads, reinterpret_cast<const void*>(shared_region.run));
}

}  // namespace

namespace weir::openmp {

worksharing_region region_with_loop(region run, void* what, long start, long end, long step, schedule_kind kind, long chunk,
                                    order in) {
  return {run, what, plan_of(kind, static_cast<std::uint64_t>(chunk), trips_of(start, end, step), in),
          static_cast<std::uint64_t>(start), static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(end)};
}

worksharing_region region_with_loop_at_run_time(region run, void* what, long start, long end, long step, order in) {
  return {run, what, plan_at_run_time(trips_of(start, end, step), in), static_cast<std::uint64_t>(start),
          static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(end)};
}

worksharing_region region_with_sections(region run, void* what, unsigned count) {
  return {run, what, plan_of_sections(count), 0, 1, count};
}

void begin_worksharing(const worksharing_region& shared_region) {
  begin_loop(self(), shared_region.plan, shared_region.first, shared_region.step, shared_region.bound);
}

void run_worksharing(void* its_region) {
  const auto& shared_region = *static_cast<const worksharing_region*>(its_region);
  begin_worksharing(shared_region);
  shared_region.run(shared_region.what);
  // With order(concurrent), a negative step and a chunk size, the code of GCC 12 neither asks for chunks nor ends the loop.
  if (self().in_loop != nullptr) leave_loop();
}

}  // namespace weir::openmp

extern "C" {

// ---- regions that are one loop, or one sections construct

#define PARALLEL_LOOP(name, kind, in)                                                                                   \
  void GOMP_parallel_loop_##name(region run, void* what, unsigned threads, long start, long end, long step, long chunk, \
                                 unsigned flags) {                                                                      \
    fork_worksharing(region_with_loop(run, what, start, end, step, schedule_kind::kind, chunk, order::in), threads, flags); \
  }
PARALLEL_LOOP(static, static_, monotonic)
PARALLEL_LOOP(dynamic, dynamic, monotonic)
PARALLEL_LOOP(guided, guided, monotonic)
PARALLEL_LOOP(nonmonotonic_dynamic, dynamic, nonmonotonic)
PARALLEL_LOOP(nonmonotonic_guided, guided, nonmonotonic)
#undef PARALLEL_LOOP

#define PARALLEL_LOOP(name, in)                                                                                         \
  void GOMP_parallel_loop_##name(region run, void* what, unsigned threads, long start, long end, long step, unsigned flags) { \
    fork_worksharing(region_with_loop_at_run_time(run, what, start, end, step, order::in), threads, flags);             \
  }
PARALLEL_LOOP(runtime, monotonic)
PARALLEL_LOOP(nonmonotonic_runtime, nonmonotonic)
PARALLEL_LOOP(maybe_nonmonotonic_runtime, nonmonotonic)
#undef PARALLEL_LOOP

void GOMP_parallel_sections(region run, void* what, unsigned threads, unsigned count, unsigned flags) {
  fork_worksharing(region_with_sections(run, what, count), threads, flags);
}

// ---- loops

#define LOOP(name, kind, in, ordered)                                                                                      \
  bool GOMP_loop_##name##_start(long start, long end, long step, long chunk_size, long* from, long* to) {                  \
    const std::uint64_t trips = trips_of(start, end, step);                                                                \
    const loop_plan plan = plan_of(schedule_kind::kind, static_cast<std::uint64_t>(chunk_size), trips, order::in);         \
    return start_loop(plan, start, end, step, from, to, ordered);                                                          \
  }                                                                                                                        \
  bool GOMP_loop_##name##_next(long* from, long* to) { return chunk(from, to, ordered); }                                  \
  bool GOMP_loop_ull_##name##_start(bool up, wide start, wide end, wide step, wide chunk_size, wide* from, wide* to) {     \
    const std::uint64_t trips = trips_of(up, start, end, step);                                                            \
    const loop_plan plan = plan_of(schedule_kind::kind, chunk_size, trips, order::in);                                     \
    return start_loop(plan, start, end, step, from, to, ordered);                                                          \
  }                                                                                                                        \
  bool GOMP_loop_ull_##name##_next(wide* from, wide* to) { return chunk(from, to, ordered); }
LOOP(static, static_, monotonic, false)
LOOP(dynamic, dynamic, monotonic, false)
LOOP(guided, guided, monotonic, false)
LOOP(nonmonotonic_dynamic, dynamic, nonmonotonic, false)
LOOP(nonmonotonic_guided, guided, nonmonotonic, false)
LOOP(ordered_static, static_, monotonic, true)
LOOP(ordered_dynamic, dynamic, monotonic, true)
LOOP(ordered_guided, guided, monotonic, true)
#undef LOOP

#define LOOP(name, in, ordered)                                                                             \
  bool GOMP_loop_##name##_start(long start, long end, long step, long* from, long* to) {              \
    return start_loop(plan_at_run_time(trips_of(start, end, step), order::in), start, end, step, from, to, ordered); \
  }                                                                                                   \
  bool GOMP_loop_##name##_next(long* from, long* to) { return chunk(from, to, ordered); }             \
  bool GOMP_loop_ull_##name##_start(bool up, wide start, wide end, wide step, wide* from, wide* to) { \
    return start_loop(plan_at_run_time(trips_of(up, start, end, step), order::in), start, end, step, from, to, ordered); \
  }                                                                                                   \
  bool GOMP_loop_ull_##name##_next(wide* from, wide* to) { return chunk(from, to, ordered); }
LOOP(runtime, monotonic, false)
LOOP(nonmonotonic_runtime, nonmonotonic, false)
LOOP(maybe_nonmonotonic_runtime, nonmonotonic, false)
LOOP(ordered_runtime, monotonic, true)
#undef LOOP

// Starts with a schedule by number, task reductions and memory, for which the other functions have no arguments. The next chunks
// come from the other functions.
#define LOOP(name, ordered)                                                                                             \
  bool GOMP_loop_##name(long start, long end, long step, long kind, long chunk_size, long* from, long* to,              \
                        void** reductions, void** memory) {                                                             \
    const loop_plan plan = plan_of_number(kind, static_cast<std::uint64_t>(chunk_size), trips_of(start, end, step));    \
    return start_loop(plan, start, end, step, from, to, ordered, reductions, memory);                                   \
  }                                                                                                                     \
  bool GOMP_loop_ull_##name(bool up, wide start, wide end, wide step, long kind, wide chunk_size, wide* from, wide* to, \
                            void** reductions, void** memory) {                                                         \
    const loop_plan plan = plan_of_number(kind, chunk_size, trips_of(up, start, end, step));                            \
    return start_loop(plan, start, end, step, from, to, ordered, reductions, memory);                                   \
  }
LOOP(start, false)
LOOP(ordered_start, true)
#undef LOOP

void GOMP_loop_end_nowait(void) { leave_loop(); }
void GOMP_loop_end(void) {
  leave_loop();
  barrier(self());
}
bool GOMP_loop_end_cancel(void) {
  leave_loop();
  return barrier_in_cancellable(self());
}

// A member has one chunk at a time, and chunks are taken in the order of the loop. So the member waits until the chunks before
// are done.
void GOMP_ordered_start(void) { begin_ordered(self()); }
void GOMP_ordered_end(void) { end_ordered(self()); }

// ---- doacross: iterations are numbered from 0 in each dimension

#define DOACROSS(name, kind)                                                                                              \
  bool GOMP_loop_doacross_##name##_start(unsigned count, long* counts, long chunk_size, long* from, long* to) {           \
    return start_doacross(count, counts, plan_of(schedule_kind::kind, static_cast<std::uint64_t>(chunk_size),             \
                                                 static_cast<std::uint64_t>(counts[0]), order::monotonic), from, to);     \
  }                                                                                                                       \
  bool GOMP_loop_ull_doacross_##name##_start(unsigned count, wide* counts, wide chunk_size, wide* from, wide* to) {       \
    return start_doacross(count, counts, plan_of(schedule_kind::kind, chunk_size, counts[0], order::monotonic), from, to); \
  }
DOACROSS(static, static_)
DOACROSS(dynamic, dynamic)
DOACROSS(guided, guided)
#undef DOACROSS
bool GOMP_loop_doacross_runtime_start(unsigned count, long* counts, long* from, long* to) {
  return start_doacross(count, counts, plan_at_run_time(static_cast<std::uint64_t>(counts[0]), order::monotonic), from, to);
}
bool GOMP_loop_ull_doacross_runtime_start(unsigned count, wide* counts, wide* from, wide* to) {
  return start_doacross(count, counts, plan_at_run_time(counts[0], order::monotonic), from, to);
}
bool GOMP_loop_doacross_start(unsigned count, long* counts, long kind, long chunk_size, long* from, long* to, void** reductions,
                              void** memory) {
  const auto trips = static_cast<std::uint64_t>(counts[0]);
  return start_doacross(count, counts, plan_of_number(kind, static_cast<std::uint64_t>(chunk_size), trips), from, to, reductions,
                        memory);
}
bool GOMP_loop_ull_doacross_start(unsigned count, wide* counts, long kind, wide chunk_size, wide* from, wide* to,
                                  void** reductions, void** memory) {
  return start_doacross(count, counts, plan_of_number(kind, chunk_size, counts[0]), from, to, reductions, memory);
}
void GOMP_doacross_post(long* numbers) { post(self(), reinterpret_cast<std::int64_t*>(numbers)); }
void GOMP_doacross_ull_post(wide* numbers) { post(self(), reinterpret_cast<std::int64_t*>(numbers)); }
void GOMP_doacross_wait(long first, ...) {
  va_list rest;
  va_start(rest, first);
  wait_for_iteration(first, rest);
  va_end(rest);
}
void GOMP_doacross_ull_wait(wide first, ...) {
  va_list rest;
  va_start(rest, first);
  wait_for_iteration(static_cast<std::int64_t>(first), rest);
  va_end(rest);
}

// ---- sections

unsigned GOMP_sections2_start(unsigned count, void** reductions, void** memory) {
  begin_task_reductions(reductions);
  begin_loop(self(), plan_of_sections(count));
  give_memory(memory);
  return next_section();
}
unsigned GOMP_sections_start(unsigned count) { return GOMP_sections2_start(count, nullptr, nullptr); }
unsigned GOMP_sections_next(void) { return next_section(); }
void GOMP_sections_end_nowait(void) { leave_loop(); }
void GOMP_sections_end(void) { GOMP_loop_end(); }
bool GOMP_sections_end_cancel(void) { return GOMP_loop_end_cancel(); }

// The end of a scope is a barrier, or nothing.
void GOMP_scope_start(void** reductions) { begin_task_reductions(reductions); }

}  // extern "C"
