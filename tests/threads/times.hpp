// Time, for programs that check how threads wait.
#pragma once

#include <cerrno>
#include <ctime>

inline double now_s(clockid_t of = CLOCK_MONOTONIC) {
  timespec t;
  clock_gettime(of, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
inline timespec timespec_of(double seconds) {
  const auto whole = static_cast<time_t>(seconds);
  return {whole, static_cast<long>((seconds - static_cast<double>(whole)) * 1e9)};
}
/// Without a system call that could wait.
inline void compute(double seconds) {
  for (const double until = now_s() + seconds; now_s() < until;) {
  }
}
/// For who is no member, or may wait.
inline void sleep_for(double seconds) {
  timespec duration = timespec_of(seconds);
  while (nanosleep(&duration, &duration) != 0 && errno == EINTR) {
  }
}
/// Until it holds; false: not within so long.
template <class Holds>
bool within(double seconds, Holds holds) {
  double pause = 20e-6;  // most conditions hold soon
  for (const double until = now_s() + seconds; now_s() < until; sleep_for(pause), pause = pause < 1e-3 ? 2 * pause : 1e-3) {
    if (holds()) return true;
  }
  return holds();
}
