// By which lines the release of a region reaches the workers of a large team: along a tree, and each line also carries what to
// execute. A line that all read would go to them one after the other.
//
// A worker waits for the same line in all regions, whatever the sizes of their teams. Teams are small mostly, so the first workers
// wait for one line in common. The others stand in groups of `FanOut` consecutive numbers, whose first member passes the release
// on; the first members of `FanOut` groups stand in a group in turn, and so on. Consecutive members are near each other
// (crew::assign_processors). In octal digits: the parent of 0431 is 0430, whose parent is 0400, whose parent is 0.
#pragma once

namespace weir::openmp {

template <unsigned InCommon, unsigned FanOut>
struct release_tree {
  static_assert(InCommon >= FanOut && InCommon % FanOut == 0);
  static constexpr unsigned in_common = InCommon;  // members that wait for the common line, and the primary thread

  /// On which of its parent's lines a worker waits: how many digits zero its number ends with.
  static unsigned level(unsigned worker) {
    unsigned zeros = 0;
    for (; worker % FanOut == 0; worker /= FanOut) ++zeros;
    return zeros;
  }
  /// The number without its last digit that is not zero.
  static unsigned parent(unsigned worker) {
    unsigned rest = worker, unit = 1;
    for (; rest % FanOut == 0; rest /= FanOut) unit *= FanOut;
    return (rest - rest % FanOut) * unit;
  }
  /// How many lines a member has in a team of this size, one for each level. Nobody waits for the primary thread's first.
  static unsigned lines(unsigned member, unsigned size) {
    if (size <= in_common || (member != 0 && member < in_common)) return 0;
    unsigned its = 0;
    for (unsigned unit = 1; member + unit < size && member / unit % FanOut == 0; unit *= FanOut) ++its;
    return its;
  }
};

}  // namespace weir::openmp
