// How long a thread has been ready to run while others had the processors: other programs, or threads of its own program.
#pragma once

#include <cstdint>
#include <optional>

#include <sys/types.h>

namespace weir {

/// Of the calling kernel thread since it began, in nanoseconds [Linux, Documentation/scheduler/sched-stats.rst]. 0: the system
/// does not tell. It takes some microseconds. Thread-safe.
std::uint64_t run_delay_ns();

/// How long a kernel thread of this process has run, and how long it has been ready to run meanwhile, in nanoseconds. Nothing:
/// the system does not tell.
struct run_times {
  std::uint64_t ran = 0, delayed = 0;
};
std::optional<run_times> run_times_of(pid_t thread);

}  // namespace weir
