// How many processors a process under a CPU quota should take.
//
// A quota is processor time for each period, mostly 100 ms. A process that computes for a moment and then waits may take all
// processors for that moment; with fewer processors it would only take longer. A process that computes all the time spends the
// quota before the period ends, and the kernel stops it while some members compute and others wait for them. Such a process does
// better with as many processors as the quota amounts to.
#pragma once

#include <algorithm>
#include <cmath>

namespace weir::openmp {

class quota_use {
 public:
  /// `mask`: processors that the process may run on; `quota`: what it may have of them. `now` and `used`, in seconds: a clock,
  /// and the processor time that the process has had.
  unsigned processors(unsigned mask, double quota, double now, double used) {
    if (now - window_began_ >= window) {
      const double rate = (used - used_before_) / (now - window_began_);
      if (window_began_ > 0) spends_all_ = rate > (spends_all_ ? goes_on : begins) * quota;
      window_began_ = now;
      used_before_ = used;
    }
    const auto most = static_cast<unsigned>(std::clamp(std::ceil(quota), 1.0, static_cast<double>(mask)));
    return spends_all_ ? most : mask;
  }

 private:
  // One period. The use at which fewer processors begin is twice the use at which they end, because programs have serial parts.
  static constexpr double window = 0.1, begins = 0.8, goes_on = 0.4;
  double window_began_ = 0, used_before_ = 0;
  bool spends_all_ = false;
};

}  // namespace weir::openmp
