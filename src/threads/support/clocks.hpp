// The system's clocks, in nanoseconds.
#pragma once

#include <cstdint>

#include <time.h>

namespace weir::threads {

inline std::uint64_t in_ns(const timespec& t) {
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}
/// 0: the system refuses the clock.
inline std::uint64_t now_by(clockid_t clock) {
  timespec now{};
  return clock_gettime(clock, &now) == 0 ? in_ns(now) : 0;
}

}  // namespace weir::threads
