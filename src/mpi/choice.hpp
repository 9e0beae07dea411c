// Which plan, by name or as "auto" takes it.
#pragma once

#include <weir/barriers/plan.hpp>
#include <weir/mpi.hpp>

#include "places.hpp"

namespace weir::mpi {

/// Throws std::invalid_argument for an unknown name. Pure.
choice choose(const places& p, const options& how);

/// The plan of a choice, with the shapes of the options. Throws std::invalid_argument where it cannot be. Pure.
plan plan_for(const places& p, const choice& c, const options& how);

}  // namespace weir::mpi
