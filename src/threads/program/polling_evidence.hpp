// Whether the program's threads poll so often that seats are worth it.
//
// A thread that polls keeps the processor, for a slice of the kernel's, from the thread for which it waits. One that is found to
// poll once may have been about to sleep, as a mutex that spins for a moment first.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace weir::threads {

/// Loops in which threads have been found to poll.
///
/// Most threads that are asked have no processor, and answer when they have one again. The wait of such a thread may have ended
/// meanwhile, and then its loop polls no more. Where threads wait for each other in turn, that is so for each of them: the kernel
/// runs them in turn, too. Those that had a processor when they were asked show where they poll.
class polling_loops {
 public:
  /// The addresses of the loop's first and last instruction. Thread-safe, and async-signal-safe, as has().
  void add(std::uintptr_t first, std::uintptr_t last) {
    if (has(first) || last - first > longest || first << bits >> bits != first) return;
    // relaxed, all: hints.
    const unsigned to = next_.fetch_add(1, std::memory_order_relaxed) % remembered;
    loops_[to].store(first << bits | (last - first), std::memory_order_relaxed);
  }
  bool has(std::uintptr_t code) const {
    return std::ranges::any_of(loops_, [code](const auto& each) {
      const std::uint64_t range = each.load(std::memory_order_relaxed);
      return range != 0 && code - (range >> bits) <= (range & longest);
    });
  }

 private:
  static constexpr std::size_t remembered = 16;
  // A word for each: its address, and how much further its last instruction lies.
  static constexpr unsigned bits = 12;
  static constexpr std::uint64_t longest = (1u << bits) - 1;
  std::atomic<std::uint64_t> loops_[remembered]{};
  std::atomic<unsigned> next_{0};
};

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
