// How long a thread has been ready to run while others had the processors: other programs, or threads of its own program.
#pragma once

#include <cstdint>

namespace weir {

/// Of the calling kernel thread since it began, in nanoseconds [Linux, Documentation/scheduler/sched-stats.rst]. 0: the system does not
/// tell. It takes some microseconds. Thread-safe.
std::uint64_t run_delay_ns();

}  // namespace weir
