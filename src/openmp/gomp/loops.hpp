// What GCC's regions that begin with a loop or with sections have in common, before GCC 4.9 and since.
#pragma once

#include <cstdint>

#include "openmp/worksharing/loop.hpp"
#include "openmp/core/team.hpp"

namespace weir::openmp {

/// The loop, or the sections, is set up by each member before the program's code.
struct worksharing_region {
  region run;
  void* what;
  loop_plan plan;
  std::uint64_t first, step, bound;
};

worksharing_region region_with_loop(region run, void* what, long start, long end, long step, schedule_kind kind, long chunk);
worksharing_region region_with_loop_at_run_time(region run, void* what, long start, long end, long step);
worksharing_region region_with_sections(region run, void* what, unsigned count);

/// Sets it up for the calling member.
void begin_worksharing(const worksharing_region& its);
/// What a member executes: sets it up and runs.
void run_worksharing(void* its_region);

}  // namespace weir::openmp
