// Work that takes a given time, and can be checked: a chain of steps, each of which needs the one before.
#pragma once

#include <algorithm>
#include <cstdint>

#include "clocks.hpp"

namespace workloads {

/// `steps` of a linear congruential generator (Knuth's MMIX).
inline std::uint64_t chain(std::uint64_t from, long steps) {
  for (long i = 0; i < steps; i++) {
    from = from * 6364136223846793005u + 1442695040888963407u;
    // Otherwise the compiler would take several steps at once.
    asm volatile("" : "+r"(from));
  }
  return from;
}

/// The least of several measurements of `body(count)`: the time of one of its parts, in microseconds of this thread's processor
/// time.
template <class Body>
double microseconds_of_one(Body body, long count) {
  double least = 1e300;
  for (int i = 0; i < 20; i++) {
    const double begun = seconds(CLOCK_THREAD_CPUTIME_ID);
    body(count);
    least = std::min(least, seconds(CLOCK_THREAD_CPUTIME_ID) - begun);
  }
  return 1e6 * least / static_cast<double>(count);
}

}  // namespace workloads
