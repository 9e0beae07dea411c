// A reduction rides on an arrival: each member brings its children's values together with its own, in the order of the tree,
// so that the result depends on the team's size alone [paper 003, section IV.A, asks for that].
#pragma once

#include "openmp/core/team.hpp"

namespace weir::openmp {

/// Adds what the second holds to the first.
using combine = void (*)(void* into, void* from);

/// Each member offers its values. The first one gets 1: all are in its own. The others get 0 when theirs may go (`at_once`),
/// or, where the construct has a barrier, when the first one has called let_go().
int gather(member& me, void* values, combine with, bool at_once);
void let_go(member& me);

}  // namespace weir::openmp
