// Reductions of a team's values. A reduction is carried by an arrival: each member combines its children's values with its
// own, in the order of the tree, so that the result depends on the team's size alone [paper 003, section IV.A, asks for
// that].
#pragma once

#include "openmp/core/team.hpp"

namespace weir::openmp {

/// Combines what the second points to into the first.
using combine = void (*)(void* into, void* from);

/// Each member offers its values. Member 0 gets 1: its own values are then the result. The others get 0 as soon as their
/// parent has taken their values (`at_once`), or, if the construct has a barrier, when member 0 has called
/// release_reduction().
int gather(member& me, void* values, combine with, bool at_once);
void release_reduction(member& me);

}  // namespace weir::openmp
