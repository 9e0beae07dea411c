// A member's part of a loop: the owner takes chunks from the beginning of the part, and members that have finished their own
// parts steal halves from the end.
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

/// The word holds the round and the chunks that are left. A word of the previous round stands for the member's initial part. So
/// the parts need no set-up, and others can steal from a member that comes late. Every member must take() once in each round.
///
/// relaxed, everywhere: a thread that changes the word owns the chunks that it takes out, because it compares the whole word.
/// Chunks are numbers, and their results are published by the end of the loop.
template <class Machine>
class part {
 public:
  /// Called by the owner: takes `count(left)` chunks at the beginning, at least one; none if none is left.
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

  /// Called by other members: takes the second half of the chunks that are left, rounded up; none if none is left.
  chunks steal(const division& d, unsigned owner) {
    std::uint64_t now = word_.load(std::memory_order_relaxed);
    for (;;) {
      const chunks left = left_in(now, d, owner);
      if (!left) return {};
      const std::uint32_t cut = left.begin + left.size() / 2;
      if (word_.compare_exchange_strong(now, packed(d, {left.begin, cut}), std::memory_order_relaxed)) return {cut, left.end};
    }
  }

  /// Called by the owner, whose part is empty: keeps stolen chunks that it does not take now.
  void keep(const division& d, chunks stolen) { word_.store(packed(d, stolen), std::memory_order_relaxed); }

  /// Called while nobody is in a loop: resets the part to its initial state, for a division in its initial state.
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
