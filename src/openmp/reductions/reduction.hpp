// Reductions of a team's values, in one of three ways.
//
// Along a tree: the reduction is carried by an arrival. Each member combines its children's values with its own, in the order of the
// tree, so that the result depends on the team's size alone [paper 003, section IV.A, asks for that]. A member must wait until its
// values have been read.
//
// By each member itself, in the order in which they come: by atomic operations, where the compiler's code has them, or under a lock.
#pragma once

#include "openmp/core/team.hpp"

namespace weir::openmp {

/// Combines what the second points to into the first.
using combine = void (*)(void* into, void* from);

/// How the members of this team reduce so many variables, for which the compiler's code `has_atomics`.
inline reduction_by way_of(const member& me, int variables, bool has_atomics) {
  // Each atomic operation may need the line from another processor once more.
  constexpr int most_atomically = 4;
  const team& t = *me.of;
  has_atomics = has_atomics && variables <= most_atomically;
  // A member may have left a cancelled region; and the initial threads of a league's teams have no team in common.
  if (cancellation_in_force() || (t.size == 1 && me.icv.teams > 1)) [[unlikely]]
    return has_atomics ? reduction_by::atomics : reduction_by::locking;
  if (t.size == 1) return reduction_by::tree;
  return has_atomics && t.reduces_in_turn ? reduction_by::atomics : t.reduces_under_lock ? reduction_by::locking : reduction_by::tree;
}

/// Along the tree. Each member offers its values. Member 0 gets 1: its own values are then the result. The others get 0 as soon as their
/// parent has taken their values (`at_once`), or, if the construct has a barrier, when member 0 has called
/// release_reduction().
int gather(member& me, void* values, combine with, bool at_once);
void release_reduction(member& me);

}  // namespace weir::openmp
