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

/// Between the processors of one node, where processes that live on one meet on it first.
plan plan_for_seats(const places& p);

}  // namespace weir::mpi
