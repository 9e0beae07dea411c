// A plan for a machine: shapes of its levels are varied, the simulator judges, the closure proves [Kaestle and others,
// Machine-aware Atomic Broadcast Trees for Multicores, OSDI 2016: trees from a machine's matrix of transfers].
#pragma once

#include <string>

#include <weir/barriers/plans.hpp>

#include "model.hpp"

namespace weir::simulator {

struct plan_found {
  plans::levels_shape shape;
  double barrier_ns = 0;  ///< what a barrier takes beyond the computing, on the average
  std::string named;      ///< the fastest plan that has a name, for comparison
  double named_ns = 0;
  std::string of_papers;  ///< the fastest of those that papers name: not exchange-nodes, which such searches have found
  double of_papers_ns = 0;
  unsigned tried = 0;
};

/// The fastest plan that it finds for the first `members` processors. It begins with the machine's levels, all of them and some,
/// and changes one number at a time as long as a change helps. The result depends on nothing but the arguments. `waiting`: the
/// policy by which members wait.
plan_found search_plan(const machine_model& m, unsigned members, const std::string& waiting = "spin");

/// What a barrier of the plan takes there beyond the computing, in nanoseconds.
double simulated_ns(const machine_model& m, const plan& p, std::uint64_t seed = 1, const std::string& waiting = "spin");

}  // namespace weir::simulator
