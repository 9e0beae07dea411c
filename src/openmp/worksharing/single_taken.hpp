// Which member executes a single construct: the first to count it. A template over the word, so that the simulator executes the
// same source.
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::openmp {

/// `taken` counts the single constructs that have an executor. True: the caller executes the one with the number `mine`.
template <class Word>
inline bool takes_turn(Word& taken, std::uint32_t turn, unsigned members) {
  // A member that reads before it updates gets the line twice: 63 ns with 2 members, and 43 without the read (a transfer takes 54
  // ns). In a larger team, all members that only read get the line at the same time.
  constexpr unsigned few = 4;
  // relaxed: it decides which member, and orders nothing; what the executor writes is published by the barrier that follows.
  return (members <= few || taken.load(std::memory_order_relaxed) == turn) &&
         taken.compare_exchange_strong(turn, turn + 1, std::memory_order_relaxed);
}

}  // namespace weir::openmp
