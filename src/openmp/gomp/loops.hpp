// Regions that begin with a loop or with sections, as GCC compiles them: before version 4.9 and since.
#pragma once

#include <cstdint>

#include "openmp/forking/region.hpp"
#include "openmp/worksharing/loop.hpp"

namespace weir::openmp {

/// Each member sets up the loop, or the sections, before the program's code runs.
struct worksharing_region {
  region run;
  void* what;
  loop_plan plan;
  std::uint64_t first, step, bound;
};

worksharing_region region_with_loop(region run, void* what, long start, long end, long step, schedule_kind kind, long chunk,
                                    order in);
worksharing_region region_with_loop_at_run_time(region run, void* what, long start, long end, long step, order in);
worksharing_region region_with_sections(region run, void* what, unsigned count);

/// Sets the loop or sections up for the calling member.
void begin_worksharing(const worksharing_region& shared_region);
/// Each member executes this function, which sets the loop or sections up and runs the program's code.
void run_worksharing(void* its_region);

}  // namespace weir::openmp
