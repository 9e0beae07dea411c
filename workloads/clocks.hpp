// The time that has gone by, and the processors' time that this process has used.
#pragma once

#include <time.h>

namespace workloads {

inline double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline double wall_seconds() { return seconds(CLOCK_MONOTONIC); }
inline double processor_seconds() { return seconds(CLOCK_PROCESS_CPUTIME_ID); }

/// Measures from its construction on.
class stopwatch {
 public:
  double wall() const { return wall_seconds() - wall_; }
  double processor() const { return processor_seconds() - processor_; }

 private:
  double wall_ = wall_seconds(), processor_ = processor_seconds();
};

}  // namespace workloads
