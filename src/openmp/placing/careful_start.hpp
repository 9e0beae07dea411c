// How many processors a program takes for its first regions, where other programs run.
//
// Members that meet wait for the one that has no processor, for slices of some milliseconds. Trials (region_sites.hpp) show that
// on fewer processors they would wait for fewer, but beside others a trial takes a tenth of a second, and most programs that meet
// so often end before. So a program that finds others running begins on the processors that they leave, and at least on one.
//
// It takes the others when it sees that they are free, and otherwise after a while: a program with more work between its barriers
// gains by a part of a processor, too, and trials choose from then on.
#pragma once

#include <algorithm>
#include <cstdint>

namespace weir::openmp {

/// Times are in nanoseconds. Not thread-safe.
class careful_start {
 public:
  static constexpr std::uint64_t first_look = 2'000'000, lasts = 100'000'000;

  /// The first region begins. `online`: the machine's processors; `others`: the threads of other programs that want one of them.
  void begin(unsigned online, unsigned others, std::uint64_t now) {
    online_ = online;
    left_ = left_by(others);
    before_ = others;
    began_ = now;
    distance_ = first_look;
  }
  /// What is seen in a single moment may pass: the program takes a processor that was left at two looks.
  void look(unsigned others, std::uint64_t now) {
    left_ = std::max(left_, left_by(std::max(others, before_)));
    before_ = others;
    distance_ = std::min(2 * distance_, lasts);
    if (now - began_ >= lasts) left_ = online_;
  }
  bool is_over() const { return left_ >= online_; }
  std::uint64_t until_next_look() const { return distance_; }
  /// Of the processors that the program may use.
  unsigned processors(unsigned usable) const { return is_over() ? usable : std::min(left_, usable); }

 private:
  unsigned left_by(unsigned others) const { return others < online_ ? online_ - others : 1; }

  unsigned online_ = 0, left_ = 0, before_ = 0;
  std::uint64_t began_ = 0, distance_ = 0;
};

}  // namespace weir::openmp
