// The barriers of the registry on the native machine, which team_barrier.cpp compiles for all.
#pragma once

#include <weir/machine/native.hpp>

#include "registry.hpp"

extern template class weir::registry<weir::native>;
