// The processors that the calling thread may run on.
#pragma once

#include <vector>

namespace weir::openmp {

std::vector<int> running_on();  ///< ascending
/// Says whether the system has accepted it: 0, or why not (errno).
int run_on(const std::vector<int>& processors);
/// Moves to the processor so many after that one, among those it may run on, and may go on to any of them. Linux leaves threads
/// that give way to each other where they are, three on one processor and one on another.
void begin_beside(int processor, unsigned after);

}  // namespace weir::openmp
