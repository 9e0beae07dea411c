// How many threads have each seat, so that the next one takes a seat that the fewest have; and whether a thread blocks so often
// that a seat costs more than it saves.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

#include "machine/processor_set.hpp"
#include "system/kernel_mutex.hpp"

namespace weir::threads {

/// Seats have the numbers of processors. Thread-safe.
///
/// In turn would not do: where teams of seven threads come and go beside the first thread, they would have four seats on one of
/// two processors and three on the other by turns, and each second team would take a quarter more of time.
class seats_taken {
 public:
  /// One of the first `among`.
  unsigned take(unsigned among) {
    const std::lock_guard lock(mutex_);
    const std::size_t usable = std::clamp<std::size_t>(among, 1, by_.size());
    used_ = std::max(used_, usable);
    const auto fewest = std::min_element(by_.begin(), by_.begin() + static_cast<std::ptrdiff_t>(usable));
    ++*fewest;
    return static_cast<unsigned>(fewest - by_.begin());
  }
  void give_back(unsigned which) {
    const std::lock_guard lock(mutex_);
    --by_[which];
  }
  void move(unsigned from, unsigned to) {
    const std::lock_guard lock(mutex_);
    used_ = std::max<std::size_t>(used_, to + 1);
    --by_[from];
    ++by_[to];
  }
  /// In the child of a fork. Writes only what has been used: each page that it writes is copied.
  void forget() {
    mutex_.forget();
    for (; used_ != 0; --used_)
      if (by_[used_ - 1] != 0) by_[used_ - 1] = 0;
  }

 private:
  kernel_mutex mutex_;
  std::array<std::uint32_t, processor_set::most> by_{};
  std::size_t used_ = 0;  // how many of them may differ from 0
};

/// To take a seat and to leave it are switches between kernel threads, and each wait for another thread in the seat saves one. A
/// thread of a database server waits once or twice, and then for the next request. Such a thread stays with the kernel for a
/// while, and longer each time.
class absences {
 public:
  static constexpr unsigned judged_together = 8, waits_worth_a_seat = 4;
  static constexpr std::uint64_t least_us = 100'000, most_us = 1'600'000;

  /// The thread waits for another one, in its seat.
  void waits() { ++waits_; }
  /// It leaves its seat to block. How long it stays away at least, in microseconds; 0: it returns when it next waits.
  std::uint64_t leaves() {
    if (++left_ < judged_together) return 0;
    const bool often = waits_ < judged_together * waits_worth_a_seat;
    left_ = waits_ = 0;
    away_us_ = often ? std::clamp(2 * away_us_, least_us, most_us) : 0;
    return away_us_;
  }

 private:
  unsigned left_ = 0, waits_ = 0;
  std::uint64_t away_us_ = 0;
};

}  // namespace weir::threads
