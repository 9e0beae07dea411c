// The clocks of a measurement.
#pragma once

#include <time.h>

#include <cstdint>

namespace bench {

inline double read_ns(clockid_t which) {
  timespec t;
  clock_gettime(which, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

inline double now_ns() { return read_ns(CLOCK_MONOTONIC); }
/// Processor time of the calling thread.
inline double thread_cpu_ns() { return read_ns(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace bench
