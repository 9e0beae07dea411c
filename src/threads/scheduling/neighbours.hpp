// In which order a processor without bodies looks at the others: at those beside it each time, since they were made together and
// their bodies mostly work on the same data, and at a few of the others in turn. So a look reads the lines of few, however many
// processors there are, and two thieves look at different ones. If many are idle, somebody looks at each. Each line that is read
// costs its owner a transfer at the next switch.
#pragma once

#include <algorithm>
#include <cstddef>

namespace weir::threads {

class neighbours {
 public:
  static constexpr std::size_t beside = 8, in_turn = 8;

  /// How many looks at different ones a processor takes before it sleeps. It looks at each twice: it steals from those that have
  /// not switched meanwhile.
  unsigned rounds() const { return count_ <= 1 + beside + in_turn ? 1 : 2; }

  /// A look: calls it for places below `count` other than `own`, until one returns true.
  template <class Look>
  bool any_of(std::size_t count, std::size_t own, Look look) {
    count_ = count;
    const std::size_t others = count - 1, near = std::min(others, beside);
    for (std::size_t i = 0; i < near; ++i)
      if (look(place(own, i))) return true;
    if (others == near) return false;
    const std::size_t groups = (others - near + in_turn - 1) / in_turn;
    const std::size_t turn = turn_++, first = near + (turn / (2 * rounds()) * rounds() + turn % rounds()) % groups * in_turn;
    for (std::size_t i = first; i < std::min(others, first + in_turn); ++i)
      if (look(place(own, i))) return true;
    return false;
  }

 private:
  // By turns behind and before the own one.
  std::size_t place(std::size_t own, std::size_t which) const {
    const std::size_t away = which / 2 + 1;
    return (which % 2 == 0 ? own + away : own + count_ - away) % count_;
  }
  std::size_t count_ = 1;  // at the last look
  std::size_t turn_ = 0;
};

}  // namespace weir::threads
