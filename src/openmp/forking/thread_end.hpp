// A thread's first question about itself, and what happens when it ends or the process forks.
#pragma once

namespace weir::openmp {

/// Has this_thread destroyed when the thread ends.
void destroy_at_end_of_thread();

/// Is the calling thread in no region, target region or league?
bool outside_of_regions();
/// Outside of regions: ends the workers of the calling thread's crews; its next regions get new ones.
void end_crews();

}  // namespace weir::openmp
