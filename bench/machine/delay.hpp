// The work between two barriers: a loop of dependent arithmetic, as in paper 003, section II.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bench {

class delay {
 public:
  /// Calibrates the loop to about so many nanoseconds (takes a few milliseconds). 0: no work at all.
  explicit delay(double nanoseconds);

  /// A loop so many times as long, without a calibration of its own.
  delay times(double factor) const;

  void operator()() const {
    double a = 1;
    for (std::uint64_t i = 0; i < iterations_; ++i) a = a * 0.999 + 0.5;
    // The compiler must assume that the result is used.
    asm volatile("" : "+m"(a));
    // The processor must not begin the next delay before the end of this one. Out of order, two short delays in a row take the
    // time of one, and the reference would be too small.
#if defined(__x86_64__)
    _mm_lfence();
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");
#endif
  }

  /// Nanoseconds of one delay, measured now over about `duration_ns`, in the processor time of the calling thread: another
  /// program that takes the processor meanwhile does not lengthen the work.
  double measure(double duration_ns) const;

 private:
  std::uint64_t iterations_ = 0;
  double nominal_ns_;
};

}  // namespace bench
