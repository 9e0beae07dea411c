// The processors that the calling thread may run on.
#pragma once

#include <vector>

namespace weir::openmp {

std::vector<int> running_on();  ///< ascending
/// Says whether the system has accepted it: 0, or why not (errno).
int run_on(const std::vector<int>& processors);

}  // namespace weir::openmp
