// The task reduction of a worksharing construct whose members have one set of copies in common: the first member to begin the
// construct allocates it, and member 0 combines the copies at the end.
#pragma once

#include <cstddef>
#include <vector>

#include "openmp/tasks/task_group.hpp"

namespace weir::openmp {

/// How a construct's copies lie in memory: `stride` bytes for each member.
struct copies_layout {
  std::size_t stride, alignment;
};

/// Copies for the members of a team, all zeros. To be freed by std::free.
char* zeroed_copies(copies_layout, unsigned members);

/// Gives the innermost group of the calling member these copies to reduce into.
void reduce_in_group(member& me, char* copies, std::size_t stride, std::vector<task_reductions::item> items);

/// Every member of the team calls it at the beginning of the construct; begins a task group. Returns the copies.
char* begin_shared_reduction(member& me, copies_layout);
/// Every member calls it after the copies have been combined, and before a barrier.
void end_shared_reduction(member& me);

}  // namespace weir::openmp
