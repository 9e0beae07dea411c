// Virtual time: whole picoseconds, so that sums are exact and the same seed gives the same digits.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace weir::simulator {

using time = std::int64_t;  // picoseconds: 106 days in 63 bits

inline constexpr time never = std::numeric_limits<time>::max();
/// The end of every run: 46 days, so that a moment and a duration can always be added.
inline constexpr time end_of_time = 4'000'000'000'000'000'000;
inline constexpr time nanosecond = 1'000;

inline time from_ns(double ns) { return static_cast<time>(std::llround(ns * 1e3)); }
inline time from_us(double us) { return static_cast<time>(std::llround(us * 1e6)); }
inline double in_ns(time t) { return static_cast<double>(t) / 1e3; }

}  // namespace weir::simulator
