// In which groups of members somebody has found nothing left to steal. At the end of a loop all members look for work at the same
// time; if each of them read all parts, the team would move as many lines as the square of its members.
//
// A hint: it may hide the chunks of a group from members of other groups, and the group then executes these chunks itself.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

namespace weir::openmp {

template <class Machine>
class exhausted_groups {
 public:
  /// A team of so many members is one group, and asks nobody.
  static constexpr unsigned least_width = 8;
  /// How many members, with consecutive numbers, are a group: a bit for each group is in one word.
  static unsigned width(unsigned members) { return std::max(least_width, std::bit_ceil(members) / bits); }

  // relaxed, all: a hint.
  void forget_all() { word_.store(0, std::memory_order_relaxed); }
  bool has(unsigned group) const { return (word_.load(std::memory_order_relaxed) >> group & 1) != 0; }
  /// The two look first: most calls change nothing, and a look leaves the line with all who have it.
  void note(unsigned group) {
    if (!has(group)) word_.fetch_or(std::uint64_t{1} << group, std::memory_order_relaxed);
  }
  void forget(unsigned group) {
    if (has(group)) word_.fetch_and(~(std::uint64_t{1} << group), std::memory_order_relaxed);
  }

 private:
  static constexpr unsigned bits = 64;
  typename Machine::template word<std::uint64_t> word_{0};
};

}  // namespace weir::openmp
