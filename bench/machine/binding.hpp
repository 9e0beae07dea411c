// Where the threads of a measurement run.
#pragma once

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

#include <sched.h>

#include <weir/machine/processors.hpp>

namespace bench {

/// Throws std::runtime_error where the system refuses, and says why.
inline void check_bound(int processor, int error) {
  if (error != 0)
    throw std::runtime_error("cannot run on processor " + std::to_string(processor) + ": " + std::strerror(error));
}
/// Binds the calling thread to one processor. Throws as check_bound().
inline void bind_to(int processor) { check_bound(processor, weir::run_on({processor})); }
/// The same for a thread by its number. Throws as check_bound().
inline void bind_to(int processor, pid_t thread) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(processor), &one);
  check_bound(processor, sched_setaffinity(thread, sizeof one, &one) == 0 ? 0 : errno);
}

}  // namespace bench
