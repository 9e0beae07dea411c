// By whom the release of a region reaches the workers of a large team: along a tree, and each worker's line also carries what to
// execute. A line that all read would go to them one after the other.
//
// Teams are small mostly, so the first workers wait for one line in common, in teams of all sizes: the primary thread does not
// know where they wait. Each other worker waits for a line of its own, which lies in the memory near it because it has made it.
// They stand in groups of `FanOut` consecutive numbers, whose first member passes the release on; the first members of `FanOut`
// groups stand in a group in turn, and so on. Consecutive members are near each other (crew::assign_processors). In octal digits:
// the parent of 0431 is 0430, whose parent is 0400, whose parent is 0.
#pragma once

#include <algorithm>
#include <cstdint>

namespace weir::openmp {

template <unsigned InCommon, unsigned FanOut>
struct release_tree {
  static_assert(InCommon >= FanOut && InCommon % FanOut == 0);
  static constexpr unsigned in_common = InCommon;  // members that wait for the common line, and the primary thread

  /// The member that releases a worker which has a line of its own: the number without its last digit that is not zero.
  static unsigned parent(unsigned worker) {
    unsigned rest = worker, unit = 1;
    for (; rest % FanOut == 0; rest /= FanOut) unit *= FanOut;
    return (rest - rest % FanOut) * unit;
  }
  /// Can the member be a parent, in some team?
  static bool passes_on(unsigned member) { return member % FanOut == 0 && (member == 0 || member >= in_common); }
  /// Calls `release(worker)` for each worker of a team of this size that the member releases; those first that have most others
  /// below them, and are the farthest.
  template <class Release>
  static void for_children(unsigned member, unsigned size, Release release) {
    if (!passes_on(member)) return;
    std::uint64_t unit = 1;
    while (member + unit < size && member / unit % FanOut == 0) unit *= FanOut;
    while ((unit /= FanOut) != 0) {
      const std::uint64_t first = member == 0 && unit < in_common ? std::max<std::uint64_t>(unit, in_common) : member + unit;
      const std::uint64_t end = std::min<std::uint64_t>(size, member + FanOut * unit);
      for (std::uint64_t child = first; child < end; child += unit) release(static_cast<unsigned>(child));
    }
  }
};

}  // namespace weir::openmp
