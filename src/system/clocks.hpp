// The system's clocks, in nanoseconds.
#pragma once

#include <cstdint>

#include <sys/types.h>
#include <time.h>

#include "system/raw_call.hpp"

namespace weir {

inline std::uint64_t in_ns(const timespec& t) {
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}
/// 0: the system refuses the clock.
inline std::uint64_t now_by(clockid_t clock) {
  timespec now{};
  return clock_gettime(clock, &now) == 0 ? in_ns(now) : 0;
}

/// The processor time of a kernel thread of this process, by the kernel's number. The number of the clock is made as in
/// clock_getcpuclockid(3). 0: the thread has ended.
inline std::uint64_t processor_time(pid_t thread) {
  constexpr clockid_t per_thread = 4, scheduled = 2;
  timespec now{};
  const auto clock = static_cast<clockid_t>(~static_cast<unsigned>(thread) << 3) | per_thread | scheduled;
  return raw_call(SYS_clock_gettime, clock, as_argument(&now)) == 0 ? in_ns(now) : 0;
}

}  // namespace weir
