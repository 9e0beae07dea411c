// Heat in a square plate whose edges are cold: explicit steps, each of which needs its neighbours' last one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace pools {

class plate {
 public:
  /// It begins as the slowest mode of the difference equations, which each step makes smaller by the same factor.
  plate(long size, double amplitude) : size_(size), amplitude_(amplitude) {
    for (auto& one : at_) one.assign(static_cast<std::size_t>((size + 2) * (size + 2)), 0.0);
    for (long y = 1; y <= size; y++)
      for (long x = 1; x <= size; x++) at_[0][index(y, x)] = amplitude * shape(y) * shape(x);
  }

  /// The rows of one of `threads` members in step `number`.
  void step(long number, long member, long threads) {
    const std::vector<double>& from = at_[static_cast<std::size_t>(number % 2)];
    std::vector<double>& to = at_[static_cast<std::size_t>((number + 1) % 2)];
    const long first = 1 + size_ * member / threads, last = size_ * (member + 1) / threads, width = size_ + 2;
    for (long y = first; y <= last; y++) {
      const double* const row = from.data() + y * width;
      double* const made = to.data() + y * width;
      for (long x = 1; x <= size_; x++)
        made[x] = row[x] + flow * (row[x - 1] + row[x + 1] + row[x - width] + row[x + width] - 4 * row[x]);
    }
  }

  double sum(long steps) const {
    double found = 0;
    for (const double one : at_[static_cast<std::size_t>(steps % 2)]) found += one;
    return found;
  }

  /// The largest distance to the mode after `steps`, in parts of its amplitude then.
  double error(long steps) const {
    const double half = std::sin(std::numbers::pi / 2 / static_cast<double>(size_ + 1));
    const double now = amplitude_ * std::pow(1 - 8 * flow * half * half, static_cast<double>(steps));
    double worst = 0;
    for (long y = 1; y <= size_; y++)
      for (long x = 1; x <= size_; x++)
        worst = std::max(worst, std::abs(at_[static_cast<std::size_t>(steps % 2)][index(y, x)] - now * shape(y) * shape(x)));
    return worst / now;
  }

 private:
  static constexpr double flow = 0.2;  // of the difference to a neighbour, in a step; up to 0.25 is stable

  std::size_t index(long y, long x) const { return static_cast<std::size_t>(y * (size_ + 2) + x); }
  double shape(long at) const { return std::sin(std::numbers::pi * static_cast<double>(at) / static_cast<double>(size_ + 1)); }

  long size_;
  double amplitude_;
  std::vector<double> at_[2];
};

}  // namespace pools
