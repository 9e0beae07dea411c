// Which members of a team are near each other: for the plans that go by nodes.
#pragma once

#include <weir/machine/topology.hpp>
#include <weir/team.hpp>

namespace weir {

/// The parts of a machine that `tournament-nodes` takes for nodes: those that share a last cache or, if there is but one, a
/// memory. Null: it has no such parts.
const topology::division* nodes_of(const topology& machine);

/// How many consecutive members of the team are in one node, if it is as many for each node that they come to, the last one
/// apart. 0: the placement is unknown, or irregular.
unsigned members_of_a_node(const team& t, const topology& machine);

}  // namespace weir
