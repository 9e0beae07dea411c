// Reductions of a team's values, in one of three ways.
//
// Along a tree: the reduction is carried by an arrival. Each member combines its children's values with its own, in the order
// of the tree, so that the result depends on the team's size alone [paper 003, section IV.A, asks for that]. A member must wait
// until its values have been read.
//
// By each member itself, in the order in which they come: by atomic operations, where the compiler's code has them, or under a
// lock.
#pragma once

#include "openmp/core/team.hpp"

namespace weir::openmp {

/// Combines what the second list of values has into those of the first.
using combine = void (*)(void* into, void* from);

/// The values of a member in a reduction: a list of addresses. An array whose size is known only when the program runs has its
/// number of elements after its address.
struct values_of_member {
  void* list;
  int variables;
  std::size_t list_bytes;
  combine with;
  bool has_atomics;  // has the compiler's code atomic operations for them?
};

/// How the members of this team combine these values.
reduction_by way_of(const member& me, const values_of_member& its);

/// Along the tree. Each member offers its values. Member 0 gets 1: its own values are then the result. The others get 0 as soon
/// as their parent has taken their values (`at_once`), or, if the construct has a barrier, when member 0 has called
/// release_reduction(). A reduction that is measured has one in any case, before which member 0 notes what it has found.
int gather(member& me, const values_of_member& its, bool at_once);
int gather_measured(member& me, const values_of_member& its, bool at_once);
void release_reduction(member& me);

}  // namespace weir::openmp
