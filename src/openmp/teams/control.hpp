// The internal control variables of a task's data environment, which its children inherit [OpenMP 5.2, 2.1].
#pragma once

#include <cstdint>

#include "openmp/settings/settings.hpp"

namespace weir::openmp {

/// omp_invalid_device: the default device if OMP_TARGET_OFFLOAD is mandatory, since there is no device [OpenMP 5.2, table 2.1].
constexpr int invalid_device = -4;

struct control {
  int num_threads = 0;  // 0: what the environment says for the level
  int max_active_levels = 1;
  int default_device = 0;
  int thread_limit = 0;  // 0: that of the environment
  int teams = 1, team = 0;  // of the league that the task is in: how many, and which
  std::uintptr_t allocator = 0;  // 0: that of the environment
  bool dynamic = false;
  schedule run_schedule;
  bool operator==(const control&) const = default;
};

}  // namespace weir::openmp
