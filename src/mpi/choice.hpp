// The choice of a plan, by name or by "auto".
#pragma once

#include <vector>

#include <weir/barriers/plan.hpp>
#include <weir/mpi.hpp>
#include <weir/profile.hpp>

#include "places.hpp"

namespace weir::mpi {

/// `known`: the profile that all processes have (places::one_profile), or null. Throws std::invalid_argument for an unknown name.
/// Pure.
choice choose(const places& p, const options& how, const machine_profile* known = nullptr);

/// What "auto" may try beside its `usual` choice while the barrier is in use: nothing where the user or a profile has chosen.
/// Pure.
std::vector<choice> others(const places& p, const options& how, const choice& usual, const machine_profile* known = nullptr);

/// A program whose episodes take longer, on average, has too much other work to gain by another barrier: about 20 times what one
/// takes.
double longest_worth_trying_us(const places& p);

/// The plan of a choice, with the shapes of the options. Throws std::invalid_argument if there is no such plan. Pure.
plan plan_for(const places& p, const choice& c, const options& how);

/// The plan between the processors of one node, for processes that meet on their processor first.
plan plan_for_seats(const places& p);

}  // namespace weir::mpi
