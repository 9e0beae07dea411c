// Whether a thread blocks in the system so often that a seat costs more than it saves.
//
// To take a seat and to leave it are switches between kernel threads, and each wait for another thread in the seat saves one. A
// thread of a database server waits once or twice, and then for the next request. Such a thread stays with the kernel for a
// while, and longer each time.
#pragma once

#include <algorithm>
#include <cstdint>

namespace weir::threads {

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
