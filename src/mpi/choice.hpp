// The choice of a plan, by name or by "auto".
#pragma once

#include <weir/barriers/plan.hpp>
#include <weir/mpi.hpp>

#include "places.hpp"

namespace weir::mpi {

/// Throws std::invalid_argument for an unknown name. Pure.
choice choose(const places& p, const options& how);

/// The plan of a choice, with the shapes of the options. Throws std::invalid_argument if there is no such plan. Pure.
plan plan_for(const places& p, const choice& c, const options& how);

/// The plan between the processors of one node, for processes that meet on their processor first.
plan plan_for_seats(const places& p);

}  // namespace weir::mpi
