// The barriers of the registry on the simulated machine, which run.cpp compiles for all.
#pragma once

#include "barriers/registry.hpp"
#include "simulated.hpp"

extern template class weir::registry<weir::simulator::simulated>;
