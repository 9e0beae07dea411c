// How many threads have each seat, so that the next one takes a seat that the fewest have.
//
// In turn would not do: where teams of seven threads come and go beside the first thread, they would have four seats on one of two
// processors and three on the other by turns, and each second team would take a quarter more of time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>

#include "machine/kernel_mutex.hpp"
#include "machine/processor_set.hpp"

namespace weir::threads {

/// Seats have the numbers of processors. Thread-safe.
class seats_taken {
 public:
  /// One of the first `among`.
  unsigned take(unsigned among) {
    const std::lock_guard lock(mutex_);
    const auto usable = by_.begin() + std::clamp<std::ptrdiff_t>(among, 1, std::ssize(by_));
    const auto fewest = std::min_element(by_.begin(), usable);
    ++*fewest;
    return static_cast<unsigned>(fewest - by_.begin());
  }
  void give_back(unsigned which) {
    const std::lock_guard lock(mutex_);
    --by_[which];
  }
  void move(unsigned from, unsigned to) {
    const std::lock_guard lock(mutex_);
    --by_[from];
    ++by_[to];
  }
  /// In the child of a fork.
  void forget() {
    mutex_.forget();
    by_.fill(0);
  }

 private:
  kernel_mutex mutex_;
  std::array<std::uint32_t, processor_set::most> by_{};
};

}  // namespace weir::threads
