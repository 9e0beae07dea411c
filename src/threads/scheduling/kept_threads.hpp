// Threads that have a body, and stay in their kernel threads for good (pin()): members may poll for what one of them does.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <sys/types.h>

#include "system/clocks.hpp"
#include "system/fork_child.hpp"

namespace weir::threads {

class kept_threads {
 public:
  /// Thread-safe, as all here.
  void add(pid_t thread) {
    // relaxed, all: numbers with which no other data goes.
    count_.fetch_add(1, std::memory_order_relaxed);
    if (!change(0, thread)) others_.fetch_add(1, std::memory_order_relaxed);
  }
  void remove(pid_t thread) {
    if (!change(thread, 0)) others_.fetch_sub(1, std::memory_order_relaxed);
    count_.fetch_sub(1, std::memory_order_relaxed);
  }
  /// In the child of a fork.
  void forget() {
    for (auto& each : known_) make_so_in_child(each, 0);
    make_so_in_child(others_, 0u);
    make_so_in_child(count_, 0u);
  }
  bool are_any() const { return count_.load(std::memory_order_relaxed) != 0; }
  /// What they have had together, in nanoseconds; where they are many, another number each time.
  std::uint64_t processor_time() const {
    std::uint64_t sum = others_.load(std::memory_order_relaxed) != 0 ? now_by(CLOCK_MONOTONIC) : 0;
    for (const auto& each : known_)
      if (const pid_t thread = each.load(std::memory_order_relaxed); thread != 0) sum += weir::processor_time(thread);
    return sum;
  }

 private:
  bool change(pid_t from, pid_t to) {
    return std::ranges::any_of(known_, [from, to](std::atomic<pid_t>& each) {
      pid_t expected = from;
      return each.load(std::memory_order_relaxed) == from &&
             each.compare_exchange_strong(expected, to, std::memory_order_relaxed);
    });
  }
  std::array<std::atomic<pid_t>, 16> known_{};  // to ask for the time of one takes a fraction of a microsecond
  std::atomic<unsigned> others_{0}, count_{0};
};

extern constinit kept_threads threads_kept_in_kernel;

}  // namespace weir::threads
