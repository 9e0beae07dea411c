// A loop that the members of a team share out, and sections, which are a loop over their numbers.
//
// Iterations are counted from 0; how they become the program's values is the member's own affair.
#pragma once

#include "slot.hpp"
#include "team.hpp"

namespace weir::openmp {

struct loop_plan {
  schedule_kind kind = schedule_kind::dynamic;
  std::uint64_t trips = 0;
  std::uint64_t chunk = 1;  // of static: 0 is one block for each member
};

struct loop : slot {
  loop_plan plan;
  alignas(line_bytes) std::atomic<std::uint64_t> taken{0};  // iterations
  alignas(line_bytes) std::atomic<std::uint64_t> turn{0};   // of ordered: the first iteration that is not done
  gate turned;
  std::atomic<void*> memory{nullptr};
};

/// Every member calls it with the same plan; the first one's counts.
void begin_loop(member& me, const loop_plan& plan);
/// The next chunk, in me.begin and me.end; false where there is none. Passes on the turn of an ordered loop.
bool next_chunk(member& me, bool ordered = false);
/// Zeros that the members of the team share until they have all done with the loop.
void* shared_memory(member& me, std::size_t bytes);
/// The member has done with the loop. No barrier.
void end_loop(member& me);
/// Waits until all iterations before this member's chunk are done.
void begin_ordered(member& me);
void end_ordered(member& me);

}  // namespace weir::openmp
