// Loops whose iterations are divided among the members of a team, and sections, which are a loop over their numbers.
//
// Iterations are counted from 0. The interfaces translate them into values of the program's loop variable.
#pragma once

#include "openmp/teams/team.hpp"
#include "openmp/worksharing/chunks.hpp"

namespace weir::openmp {

// In loop.cpp, out of the way of the calls that most chunks need.
extern template void begin_part(member& me);
extern template iterations next_of_divided(member& me);
extern template iterations next_chunk_of_any(member& me);

/// Must a member execute its chunks in the order of the loop? For a schedule without either modifier, OpenMP 5.0 changed the
/// answer; compilers say which answer they mean.
enum class order { monotonic, nonmonotonic };

/// The plan for a schedule clause; chunk 0: it gives none.
loop_plan plan_of(schedule_kind kind, std::uint64_t chunk, std::uint64_t trips, order in);
/// The plan for run-sched-var, whose modifier may be monotonic, too. Its chunk, or a member's block, is rounded up to a multiple
/// of the width [OpenMP 5.2, 11.5.3: the simd modifier].
loop_plan plan_at_run_time(std::uint64_t trips, order in, std::uint64_t width = 1);

/// Every member calls it with the same plan; the first member to call sets the loop up.
void begin_loop(member& me, const loop_plan& plan);
/// The same, and keeps the numbers from which the interface computes the member's values.
inline void begin_loop(member& me, const loop_plan& plan, std::uint64_t first, std::uint64_t step, std::uint64_t bound) {
  begin_loop(me, plan);
  me.first = first;
  me.step = step;
  me.bound = bound;
}
/// Waits for the turn of the member's present chunk, and passes the turn on.
iterations next_ordered_chunk(member& me);

/// The member's next chunk, which becomes me.chunk; none if all are taken.
inline iterations next_chunk(member& me, bool ordered = false) {
  return ordered ? next_ordered_chunk(me) : next_unordered_chunk(me);
}

/// Memory that all members of the team have in common until the last of them has ended the loop; zeros at first.
void* common_memory(member& me, std::size_t bytes);
/// The member has executed its part of the loop. No barrier.
void end_loop(member& me);
/// Will no member execute this iteration of the loop of `me`, because it belongs to a member that has left the cancelled region?
bool is_left_out(const member& me, std::uint64_t iteration);
/// Waits until all iterations before this member's chunk are done. Outside of an ordered loop it returns at once.
void begin_ordered(member& me);
void end_ordered(member& me);

}  // namespace weir::openmp
