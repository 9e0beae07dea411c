// The clocks of a measurement.
#pragma once

#include <time.h>

#include <cstdint>

#include "../../src/system/raw_call.hpp"

namespace bench {

inline double read_ns(clockid_t which) {
  timespec t;
  clock_gettime(which, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

inline double now_ns() { return read_ns(CLOCK_MONOTONIC); }
/// Processor time of the calling kernel thread, by a bare system call: a member that asks the C library for it leaves the virtual
/// processor for good.
inline double thread_cpu_ns() {
  timespec t{};
  weir::raw_call(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, weir::as_argument(&t));
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

}  // namespace bench
