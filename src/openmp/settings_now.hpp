// The control variables as the environment set them, read once.
#pragma once

#include <string>
#include <vector>

namespace weir::openmp {

enum class schedule_kind { static_, dynamic, guided, automatic };

struct schedule {
  schedule_kind kind = schedule_kind::dynamic;
  bool monotonic = false;
  int chunk = 1;  // 0: none given
  bool operator==(const schedule&) const = default;
};

struct settings {
  std::vector<int> num_threads;  // by level; empty: as many as processors may be used
  bool dynamic = false;
  int max_active_levels = 1;
  int thread_limit = 1 << 20;
  schedule run_schedule;
  std::string barrier = "auto";
};

const settings& initial_settings();
/// Threads of a region at that level of nesting where nobody asks for a number.
int default_threads(unsigned level);

}  // namespace weir::openmp
