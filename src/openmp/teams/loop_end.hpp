// The end of a loop whose members have parts, where all members look for work at the same time. If each of them read all parts,
// the team would move as many lines as the square of its members. So members are in groups of 8, groups in groups of 4, and so
// on, and each group has a word: somebody has found nothing left to steal in it. A member reads the words of its own group's
// neighbours, of their group's neighbours, and so on. One word for all groups would go to all members at each change.
//
// That nothing is left is a hint: it may hide the chunks of a group from members of other groups, and the group then executes
// these chunks itself.
//
// The word has the loop's number. What an earlier loop has left counts as nothing, so nobody resets it.
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::openmp {

/// relaxed, all: hints, and which member executes a chunk; what it computes is published by the end of the loop.
template <class Machine>
class loop_end {
 public:
  enum fact : std::uint32_t { exhausted = 1, last_taken = 2 };

  /// How many members, with consecutive numbers, are a group of the lowest level; a team of this size asks nobody.
  static constexpr unsigned least = 8;
  /// How many groups of a level are one of the next.
  static constexpr unsigned together = 4;

  bool has(std::uint32_t loop, fact which) const { return (facts_of(loop, word_.load(std::memory_order_relaxed)) & which) != 0; }
  // These look first: most calls change nothing, and a look leaves the line with all who have it. True: this call has changed it.
  bool note(std::uint32_t loop, fact which) { return change(loop, which, which); }
  bool forget(std::uint32_t loop, fact which) { return change(loop, which, 0); }

  /// Called while nobody is in a loop: loops are counted anew.
  void start_over() { word_.store(0, std::memory_order_relaxed); }

 private:
  static std::uint32_t facts_of(std::uint32_t loop, std::uint64_t word) {
    return word >> 32 == loop ? static_cast<std::uint32_t>(word) : 0;
  }
  bool change(std::uint32_t loop, fact which, std::uint32_t to) {
    std::uint64_t now = word_.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint32_t facts = facts_of(loop, now);
      if ((facts & which) == to) return false;
      if (word_.compare_exchange_strong(now, std::uint64_t{loop} << 32 | ((facts & ~which) | to), std::memory_order_relaxed))
        return true;
    }
  }

  typename Machine::template word<std::uint64_t> word_{0};
};

}  // namespace weir::openmp
