// A member's part of a loop: its owner takes chunks at its beginning, members that are through take halves at its end.
//
// As in affinity scheduling [Markatos and LeBlanc, "Using processor affinity in loop scheduling on shared-memory
// multiprocessors", IEEE TPDS 5(4), 1994], with the part in one word instead of a queue with a lock.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include <weir/machine/machine.hpp>

namespace weir::openmp {

/// Chunks of a loop, counted from 0.
struct chunks {
  std::uint32_t begin = 0, end = 0;
  std::uint32_t size() const { return end - begin; }
  explicit operator bool() const { return begin < end; }
};

/// How the chunks of a loop are divided among the members at first: one block each.
struct division {
  static constexpr std::uint64_t most = (std::uint64_t{1} << 31) - 1;  // chunks that a part can number

  std::uint32_t length = 0, longer = 0;  // of a block; the first `longer` blocks have one chunk more
  std::uint32_t round = 0;               // of the parts' use, modulo 4: the next loop that uses the same parts has the next one

  chunks of(unsigned member) const {
    const std::uint32_t begin = member * length + std::min<std::uint32_t>(member, longer);
    return {begin, begin + length + (member < longer ? 1 : 0)};
  }
  void divide(std::uint64_t count, unsigned members) {
    length = static_cast<std::uint32_t>(count / members);
    longer = static_cast<std::uint32_t>(count % members);
    round = (round + 1) % 4;
  }
};

/// The word holds the round and what is left. A word of the round before stands for the part that the member has at first, so
/// nobody sets the parts up, and the part of a member that comes late is taken by others. Every member must take() once in each
/// round.
///
/// relaxed, everywhere: a thread that changes the word owns what it takes out, because it compares the whole word; chunks are
/// numbers, and what they compute is published by the end of the loop.
template <class Machine>
class part {
 public:
  /// By the owner: `count(left)` chunks at the beginning, at least one; none if none is left.
  template <class Count>
  chunks take(const division& d, unsigned owner, Count count) {
    std::uint64_t now = word_.load(std::memory_order_relaxed);
    for (;;) {
      const chunks left = left_in(now, d, owner);
      if (!left) {
        // Nobody else changes a word without chunks.
        if (round_of(now) != d.round) word_.store(packed(d, left), std::memory_order_relaxed);
        return {};
      }
      const std::uint32_t cut = left.begin + std::min(count(left.size()), left.size());
      if (word_.compare_exchange_strong(now, packed(d, {cut, left.end}), std::memory_order_relaxed)) return {left.begin, cut};
    }
  }

  /// By others: the second half of what is left, and more than half of an odd number; none if none is left.
  chunks steal(const division& d, unsigned owner) {
    std::uint64_t now = word_.load(std::memory_order_relaxed);
    for (;;) {
      const chunks left = left_in(now, d, owner);
      if (!left) return {};
      const std::uint32_t cut = left.begin + left.size() / 2;
      if (word_.compare_exchange_strong(now, packed(d, {left.begin, cut}), std::memory_order_relaxed)) return {cut, left.end};
    }
  }

  /// By the owner, whose part is empty: what it has stolen and not taken.
  void keep(const division& d, chunks stolen) { word_.store(packed(d, stolen), std::memory_order_relaxed); }

  /// While nobody is in a loop: as at first, with a division as at first.
  void start_over() { word_.store(0, std::memory_order_relaxed); }

 private:
  static std::uint32_t round_of(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 62); }
  static std::uint64_t packed(const division& d, chunks left) {
    return std::uint64_t{d.round} << 62 | std::uint64_t{left.begin} << 31 | left.end;
  }
  static chunks left_in(std::uint64_t word, const division& d, unsigned owner) {
    if (round_of(word) != d.round) return d.of(owner);
    return {static_cast<std::uint32_t>(word >> 31) & most, static_cast<std::uint32_t>(word) & most};
  }
  static constexpr auto most = static_cast<std::uint32_t>(division::most);

  typename Machine::template word<std::uint64_t> word_{0};
};

}  // namespace weir::openmp
