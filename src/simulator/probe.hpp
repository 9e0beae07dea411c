// What bench/machine/floor.cpp measures on cores, on a simulated machine: for fitting one to the other.
#pragma once

#include "model.hpp"

namespace weir::simulator {

/// Nanoseconds for one transfer of a cache line, one way: two members pass a number to and fro.
/// Throws std::invalid_argument where the machine has no such processors, or they are the same.
double one_transfer_ns(const machine_model& m, unsigned from, unsigned to);

}  // namespace weir::simulator
