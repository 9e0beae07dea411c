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

/// The shape of a plan of the table for this team: the nodes of the machine, where the plan goes by nodes.
plans::shape shape_for(const team& t, const topology& machine, std::string_view algorithm, plans::shape its = {});

}  // namespace weir
