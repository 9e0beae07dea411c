// Which members of a team are near each other: for the plans that go by nodes.
#pragma once

#include <string_view>

#include <weir/barriers/plans.hpp>
#include <weir/machine/topology.hpp>
#include <weir/team.hpp>

namespace weir {

/// The parts of a machine that plans by nodes take for nodes: those that share a last cache or, if there is but one, a
/// memory. Null: it has no such parts.
const topology::division* nodes_of(const topology& machine);

/// Does this plan of the table go by the nodes of a machine?
bool goes_by_nodes(std::string_view algorithm);
/// The shape of such a plan for this team.
plans::shape shape_by_nodes(const team& t, const topology& machine, plans::shape form = {});

}  // namespace weir
