#include "delay.hpp"

#include <algorithm>
#include <cmath>

#include "clock.hpp"

namespace bench {

delay::delay(double nanoseconds) : nominal_ns_(nanoseconds) {
  if (nanoseconds <= 0) return;
  // The fastest of several calibrations counts, because a disturbance only ever makes a calibration slower.
  double fastest = 1e300;
  for (int attempt = 0; attempt < 7; ++attempt) {
    iterations_ = 200'000;
    const double start = thread_cpu_ns();
    (*this)();
    fastest = std::min(fastest, thread_cpu_ns() - start);
  }
  iterations_ = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(nanoseconds / (fastest / 200'000)));
}

delay delay::times(double factor) const {
  delay made = *this;
  made.iterations_ = static_cast<std::uint64_t>(std::llround(static_cast<double>(iterations_) * factor));
  made.nominal_ns_ *= factor;
  return made;
}

double delay::measure(double duration_ns) const {
  const auto calls = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(duration_ns / std::max(nominal_ns_, 1.0)));
  const double start = thread_cpu_ns();
  for (std::uint64_t i = 0; i < calls; ++i) (*this)();
  return (thread_cpu_ns() - start) / static_cast<double>(calls);
}

}  // namespace bench
