// The interface that GCC compiles for: regions, worksharing, synchronisation. What each function is called with is seen in
// the compiler's output (-fdump-tree-ompexp).
#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <utility>

#include "doacross.hpp"
#include "exclusion.hpp"
#include "gomp_task_reduction.hpp"
#include "loop.hpp"
#include "team.hpp"

using namespace weir::openmp;

namespace {

using function = void (*)(void*);
using wide = unsigned long long;

lock unnamed, atomics;

// ---- regions that begin with a loop: the loop is set by each member before the program's code

struct loop_region {
  function run;
  void* what;
  loop_plan plan;
  std::uint64_t first, step, bound;
};

void set_values(member& me, std::uint64_t first, std::uint64_t step, std::uint64_t bound) {
  me.first = first;
  me.step = step;
  me.bound = bound;
}

void begin_loop_region(void* what) {
  const auto& r = *static_cast<const loop_region*>(what);
  member& me = self();
  begin_loop(me, r.plan);
  set_values(me, r.first, r.step, r.bound);
  r.run(r.what);
}

std::uint64_t trips_of(long start, long end, long step) {
  const auto s = static_cast<std::uint64_t>(start), e = static_cast<std::uint64_t>(end), d = static_cast<std::uint64_t>(step);
  if (step > 0) return start < end ? (e - s - 1) / d + 1 : 0;
  return start > end ? (s - e - 1) / (0 - d) + 1 : 0;
}

std::uint64_t trips_of(bool up, wide start, wide end, wide step) {
  if (up) return start < end ? (end - start - 1) / step + 1 : 0;
  return start > end ? (start - end - 1) / (0 - step) + 1 : 0;
}

loop_plan plan_of(schedule_kind kind, std::uint64_t chunk, std::uint64_t trips) {
  if (kind != schedule_kind::static_ && chunk == 0) chunk = 1;
  if (kind == schedule_kind::auto_) return {schedule_kind::static_, trips, 0};
  return {kind, trips, chunk};
}

loop_plan plan_at_run_time(std::uint64_t trips) {
  const schedule s = self().icv.run_schedule;
  return plan_of(s.kind, static_cast<std::uint64_t>(s.chunk), trips);
}

void region_with_loop(function run, void* what, unsigned threads, long start, long end, long step, schedule_kind kind, long chunk) {
  loop_region r{run, what, plan_of(kind, static_cast<std::uint64_t>(chunk), trips_of(start, end, step)),
                static_cast<std::uint64_t>(start), static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(end)};
  fork(begin_loop_region, &r, threads);
}

// ---- chunks

template <class T>
bool chunk(T* begin, T* end, bool ordered) {
  member& me = self();
  if (!next_chunk(me, ordered)) return false;
  *begin = static_cast<T>(me.first + me.begin * me.step);
  // The bound itself for the last chunk: a step beyond could leave the type.
  *end = static_cast<T>(me.end == me.in_loop->plan.trips ? me.bound : me.first + me.end * me.step);
  return true;
}

bool start_loop(const loop_plan& plan, long start, long end, long step, long* from, long* to, bool ordered) {
  member& me = self();
  begin_loop(me, plan);
  set_values(me, static_cast<std::uint64_t>(start), static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(end));
  return chunk(from, to, ordered);
}

bool start_loop(const loop_plan& plan, wide start, wide end, wide step, wide* from, wide* to, bool ordered) {
  member& me = self();
  begin_loop(me, plan);
  set_values(me, start, step, end);
  return chunk(from, to, ordered);
}

void leave_loop() {
  member& me = self();
  end_loop(me);
  end_doacross(me);
}

template <class T>
bool start_doacross(unsigned count, T* counts, const loop_plan& plan, T* from, T* to) {
  dimension dimensions[64];
  for (unsigned i = 0; i < count && i < 64; ++i) {
    const auto trips = static_cast<std::uint64_t>(counts[i]);
    dimensions[i] = {0, static_cast<std::int64_t>(trips) - 1, 1, trips};
  }
  member& me = self();
  begin_doacross(me, dimensions, std::min(count, 64u));
  begin_loop(me, plan);
  set_values(me, 0, 1, plan.trips);
  return chunk(from, to, false);
}

// The rest of an iteration's numbers comes one by one.
void wait_for_iteration(std::int64_t first, va_list& rest) {
  member& me = self();
  const std::size_t count = me.in_doacross->dimensions.size();
  std::int64_t values[64] = {first};
  for (std::size_t i = 1; i < count && i < 64; ++i) values[i] = va_arg(rest, long);
  wait_for(me, values);
}

unsigned next_section() {
  member& me = self();
  return next_chunk(me) ? static_cast<unsigned>(me.begin) + 1 : 0;
}

void begin_sections(unsigned count) { begin_loop(self(), {schedule_kind::dynamic, count, 1}); }

struct sections_region {
  function run;
  void* what;
  unsigned count;
};

void begin_sections_region(void* what) {
  const auto& r = *static_cast<const sections_region*>(what);
  begin_sections(r.count);
  r.run(r.what);
}

}  // namespace

extern "C" {

// ---- regions

void GOMP_parallel(function run, void* what, unsigned threads, unsigned) { fork(run, what, threads); }

#define PARALLEL_LOOP(name, kind)                                                                                         \
  void GOMP_parallel_loop_##name(function run, void* what, unsigned threads, long start, long end, long step, long chunk, \
                                 unsigned) {                                                                              \
    region_with_loop(run, what, threads, start, end, step, schedule_kind::kind, chunk);                                   \
  }
PARALLEL_LOOP(static, static_)
PARALLEL_LOOP(dynamic, dynamic)
PARALLEL_LOOP(guided, guided)
PARALLEL_LOOP(nonmonotonic_dynamic, dynamic)
PARALLEL_LOOP(nonmonotonic_guided, guided)
#undef PARALLEL_LOOP

#define PARALLEL_LOOP(name)                                                                                           \
  void GOMP_parallel_loop_##name(function run, void* what, unsigned threads, long start, long end, long step, unsigned) { \
    const schedule s = self().icv.run_schedule;                                                                       \
    region_with_loop(run, what, threads, start, end, step, s.kind, s.chunk);                                          \
  }
PARALLEL_LOOP(runtime)
PARALLEL_LOOP(nonmonotonic_runtime)
PARALLEL_LOOP(maybe_nonmonotonic_runtime)
#undef PARALLEL_LOOP

void GOMP_parallel_sections(function run, void* what, unsigned threads, unsigned count, unsigned) {
  sections_region r{run, what, count};
  fork(begin_sections_region, &r, threads);
}

// ---- loops

#define LOOP(name, kind, ordered)                                                                              \
  bool GOMP_loop_##name##_start(long start, long end, long step, long chunk_size, long* from, long* to) {      \
    return start_loop(plan_of(schedule_kind::kind, static_cast<std::uint64_t>(chunk_size), trips_of(start, end, step)), start, \
                      end, step, from, to, ordered);                                                           \
  }                                                                                                            \
  bool GOMP_loop_##name##_next(long* from, long* to) { return chunk(from, to, ordered); }                      \
  bool GOMP_loop_ull_##name##_start(bool up, wide start, wide end, wide step, wide chunk_size, wide* from, wide* to) { \
    return start_loop(plan_of(schedule_kind::kind, chunk_size, trips_of(up, start, end, step)), start, end, step, from, to, \
                      ordered);                                                                                \
  }                                                                                                            \
  bool GOMP_loop_ull_##name##_next(wide* from, wide* to) { return chunk(from, to, ordered); }
LOOP(static, static_, false)
LOOP(dynamic, dynamic, false)
LOOP(guided, guided, false)
LOOP(nonmonotonic_dynamic, dynamic, false)
LOOP(nonmonotonic_guided, guided, false)
LOOP(ordered_static, static_, true)
LOOP(ordered_dynamic, dynamic, true)
LOOP(ordered_guided, guided, true)
#undef LOOP

#define LOOP(name, ordered)                                                                                   \
  bool GOMP_loop_##name##_start(long start, long end, long step, long* from, long* to) {                      \
    return start_loop(plan_at_run_time(trips_of(start, end, step)), start, end, step, from, to, ordered);     \
  }                                                                                                           \
  bool GOMP_loop_##name##_next(long* from, long* to) { return chunk(from, to, ordered); }                     \
  bool GOMP_loop_ull_##name##_start(bool up, wide start, wide end, wide step, wide* from, wide* to) {         \
    return start_loop(plan_at_run_time(trips_of(up, start, end, step)), start, end, step, from, to, ordered); \
  }                                                                                                           \
  bool GOMP_loop_ull_##name##_next(wide* from, wide* to) { return chunk(from, to, ordered); }
LOOP(runtime, false)
LOOP(nonmonotonic_runtime, false)
LOOP(maybe_nonmonotonic_runtime, false)
LOOP(ordered_runtime, true)
#undef LOOP

void GOMP_loop_end_nowait(void) { leave_loop(); }
void GOMP_loop_end(void) {
  leave_loop();
  barrier(self());
}
bool GOMP_loop_end_cancel(void) {
  GOMP_loop_end();
  return false;
}

// Chunks are computed in the order of the loop, and a member has one at a time: it waits until those before are done.
void GOMP_ordered_start(void) { wait_for_turn(self()); }
void GOMP_ordered_end(void) {}

// What a scan keeps between its two halves is the team's; the compiler asks for so many bytes of zeros.
bool GOMP_loop_start(long start, long end, long step, long kind, long chunk_size, long* from, long* to, void** reductions,
                     void** memory) {
  begin_task_reductions(reductions);
  const bool at_run_time = (kind & 0x7fffffff) == 0;
  const auto kinds = static_cast<schedule_kind>((kind & 0x7fffffff) - 1);
  const std::uint64_t trips = trips_of(start, end, step);
  begin_loop(self(), at_run_time ? plan_at_run_time(trips) : plan_of(kinds, static_cast<std::uint64_t>(chunk_size), trips));
  member& me = self();
  set_values(me, static_cast<std::uint64_t>(start), static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(end));
  if (memory != nullptr) *memory = shared_memory(me, reinterpret_cast<std::uintptr_t>(*memory));
  return from == nullptr || chunk(from, to, false);
}

// ---- doacross: iterations are numbered from 0 in each dimension

#define DOACROSS(name, kind)                                                                                              \
  bool GOMP_loop_doacross_##name##_start(unsigned count, long* counts, long chunk_size, long* from, long* to) {           \
    return start_doacross(count, counts, plan_of(schedule_kind::kind, static_cast<std::uint64_t>(chunk_size),             \
                                                 static_cast<std::uint64_t>(counts[0])), from, to);                       \
  }                                                                                                                       \
  bool GOMP_loop_ull_doacross_##name##_start(unsigned count, wide* counts, wide chunk_size, wide* from, wide* to) {       \
    return start_doacross(count, counts, plan_of(schedule_kind::kind, chunk_size, counts[0]), from, to);                  \
  }
DOACROSS(static, static_)
DOACROSS(dynamic, dynamic)
DOACROSS(guided, guided)
#undef DOACROSS
bool GOMP_loop_doacross_runtime_start(unsigned count, long* counts, long* from, long* to) {
  return start_doacross(count, counts, plan_at_run_time(static_cast<std::uint64_t>(counts[0])), from, to);
}
bool GOMP_loop_ull_doacross_runtime_start(unsigned count, wide* counts, wide* from, wide* to) {
  return start_doacross(count, counts, plan_at_run_time(counts[0]), from, to);
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

unsigned GOMP_sections_start(unsigned count) {
  begin_sections(count);
  return next_section();
}
unsigned GOMP_sections_next(void) { return next_section(); }
void GOMP_sections_end_nowait(void) { leave_loop(); }
void GOMP_sections_end(void) { GOMP_loop_end(); }
bool GOMP_sections_end_cancel(void) { return GOMP_loop_end_cancel(); }

// ---- single

bool GOMP_single_start(void) { return takes_single(self()); }

void* GOMP_single_copy_start(void) {
  member& me = self();
  if (takes_single(me)) return nullptr;
  barrier(me);
  return me.of->copied;
}
void GOMP_single_copy_end(void* values) {
  member& me = self();
  me.of->copied = values;
  barrier(me);
}

// ---- barriers and exclusion

void GOMP_barrier(void) { barrier(self()); }
bool GOMP_barrier_cancel(void) {
  barrier(self());
  return false;
}

void GOMP_critical_start(void) { unnamed.take(); }
void GOMP_critical_end(void) { unnamed.release(); }
// The compiler gives each name a pointer that begins as null: as much as a lock needs.
void GOMP_critical_name_start(void** its) { reinterpret_cast<lock*>(its)->take(); }
void GOMP_critical_name_end(void** its) { reinterpret_cast<lock*>(its)->release(); }
void GOMP_atomic_start(void) { atomics.take(); }
void GOMP_atomic_end(void) { atomics.release(); }

// ---- cancellation

bool GOMP_cancel(int, bool) { return false; }
bool GOMP_cancellation_point(int) { return false; }

}  // extern "C"
