// The numbers of devices, as programs name them. The host is the only device.
#pragma once

#include "openmp/teams/team.hpp"

namespace weir::openmp {

/// omp_default_device of GCC's omp.h [OpenMP TR14]; -1 is omp_initial_device.
inline constexpr int initial_device = -1, default_device = -5;

/// Is it the host? Its own number is the number of other devices.
inline bool is_host(int device) {
  if (device == default_device) device = self().icv.default_device;
  return device == initial_device || device == 0;
}

}  // namespace weir::openmp
