// The measurement of bench/machine/floor.cpp on a simulated machine, for fitting one to the other.
#pragma once

#include "model.hpp"

namespace weir::simulator {

/// Nanoseconds for one transfer of a cache line, one way: two members pass a number back and forth.
/// Throws std::invalid_argument if the machine has no such processors, or if they are the same.
double one_transfer_ns(const machine_model& m, unsigned from, unsigned to);

}  // namespace weir::simulator
