// Whether the program's threads poll so often that seats are worth it.
//
// A thread that polls keeps the processor, for a slice of the kernel's, from the thread for which it waits. One that is found to poll
// once may have been about to sleep, as a mutex that spins for a moment first.
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::threads {

class polling_evidence {
 public:
  static constexpr std::uint32_t least = 3, one_in = 4, remembered = 64;

  /// A thread that ran has been found to poll, or not. True: there is enough evidence now. Thread-safe, and async-signal-safe.
  bool add(bool polls) {
    std::uint32_t before = counts_.load(std::memory_order_relaxed), after;
    do {
      after = before + 1 + (polls ? one_that_polls : 0);
      if (looks_of(after) == remembered) after = after / 2 & ~(one_that_polls >> 1);
      // relaxed: numbers with which no other data goes.
    } while (!counts_.compare_exchange_weak(before, after, std::memory_order_relaxed));
    return polling_of(after) >= least && one_in * polling_of(after) >= looks_of(after);
  }

 private:
  // The looks, and in the upper half those that have found a thread that polls.
  static constexpr std::uint32_t one_that_polls = 1 << 16;
  static std::uint32_t looks_of(std::uint32_t counts) { return counts % one_that_polls; }
  static std::uint32_t polling_of(std::uint32_t counts) { return counts / one_that_polls; }
  std::atomic<std::uint32_t> counts_{0};
};

}  // namespace weir::threads
