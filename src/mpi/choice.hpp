// The choice of a plan, by name or by "auto".
#pragma once

#include <weir/barriers/plan.hpp>
#include <weir/mpi.hpp>
#include <weir/profile.hpp>

#include "places.hpp"

namespace weir::mpi {

/// `known`: the profile that all processes have (places::one_profile), or null. Throws std::invalid_argument for an unknown name. Pure.
choice choose(const places& p, const options& how, const machine_profile* known = nullptr);

/// The plan of a choice, with the shapes of the options. Throws std::invalid_argument if there is no such plan. Pure.
plan plan_for(const places& p, const choice& c, const options& how);

/// The plan between the processors of one node, for processes that meet on their processor first.
plan plan_for_seats(const places& p);

}  // namespace weir::mpi
