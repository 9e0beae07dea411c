// Reductions of a team's values, in one of three ways.
//
// Along a tree: an arrival carries the reduction. Each member combines its children's values with its own, in the order of the
// tree, so the result depends only on the team's size [as paper 003, section IV.A, demands]. A member must wait until its values
// have been read.
//
// By each member itself, in the order in which members arrive: by atomic operations, if the compiler's code has them, or under a
// lock.
#pragma once

#include "openmp/reductions/along_tree.hpp"
#include "openmp/teams/team.hpp"

namespace weir::openmp {

/// Combines the values of the second list into the values of the first.
using combine = void (*)(void* into, void* from);

/// The values of a member in a reduction: a list of addresses. An array whose size is known only when the program runs has its
/// number of elements after its address.
struct values_of_member {
  void* list;
  int variables;
  std::size_t list_bytes;
  combine with;
  bool has_atomics;  // does the compiler's code have atomic operations for the values?
};

/// How the members of this team combine these values.
reduction_by way_of(const member& me, const values_of_member& values);

/// Combines along the tree. Each member offers its values. Member 0 gets 1: its own values are then the result. The others get 0
/// as soon as their parent has taken their values (`at_once`), or, if the construct has a barrier, when member 0 has called
/// release_reduction(). A reduction that is measured has a barrier in any case, before which member 0 notes its measurement.
int gather(member& me, const values_of_member& values, bool at_once);
int gather_measured(member& me, const values_of_member& values, bool at_once);
extern template void release_reduction(member& me);

}  // namespace weir::openmp
