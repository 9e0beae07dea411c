// A loop that the members of a team share out, and sections, which are a loop over their numbers.
//
// Iterations are counted from 0; how they become the program's values is the member's own affair.
#pragma once

#include "openmp/core/slot.hpp"
#include "openmp/core/team.hpp"

namespace weir::openmp {

struct loop_plan {
  schedule_kind kind = schedule_kind::dynamic;
  std::uint64_t trips = 0;
  std::uint64_t chunk = 1;  // of static: 0 is one block for each member
};

/// By a schedule clause; chunk 0: it says none.
loop_plan plan_of(schedule_kind kind, std::uint64_t chunk, std::uint64_t trips);
/// By run-sched-var, its chunk rounded up to a multiple of the width [OpenMP 5.2, 11.5.3: the simd modifier].
loop_plan plan_at_run_time(std::uint64_t trips, std::uint64_t width = 1);

struct loop : slot {
  loop_plan plan;
  bool counted = false;  // are chunks taken by counting on alone?
  alignas(line_bytes) std::atomic<std::uint64_t> taken{0};  // iterations
  alignas(line_bytes) std::atomic<std::uint64_t> turn{0};   // of ordered: the first iteration that is not done
  gate turned;
  std::atomic<void*> memory{nullptr};
};

/// Every member calls it with the same plan; the first one's counts.
void begin_loop(member& me, const loop_plan& plan);
/// The same, and what the member's values come from.
inline void begin_loop(member& me, const loop_plan& plan, std::uint64_t first, std::uint64_t step, std::uint64_t bound) {
  begin_loop(me, plan);
  me.first = first;
  me.step = step;
  me.bound = bound;
}
iterations next_chunk_of_any(member& me);
/// Passes on the turn, once it has come.
iterations next_ordered_chunk(member& me);

/// The member's next chunk, me.chunk from now on; none where all are taken.
inline iterations next_chunk(member& me, bool ordered = false) {
  if (ordered) return next_ordered_chunk(me);
  loop& l = *me.in_loop;
  if (!l.counted) return next_chunk_of_any(me);
  // Few instructions before it, and no look: the line is then on its way while the chunk before is still computed, and comes once.
  // relaxed: iterations are data that nobody writes; what they compute is published by the construct's end.
  const std::uint64_t at = l.taken.fetch_add(l.plan.chunk, std::memory_order_relaxed), n = l.plan.trips;
  return me.chunk = at >= n ? iterations{} : iterations{at, n - at < l.plan.chunk ? n : at + l.plan.chunk};
}

/// Zeros that the members of the team share until they have all done with the loop.
void* shared_memory(member& me, std::size_t bytes);
/// The member has done with the loop. No barrier.
void end_loop(member& me);
/// Waits until all iterations before this member's chunk are done; not at all outside of an ordered loop.
void begin_ordered(member& me);
void end_ordered(member& me);

}  // namespace weir::openmp
