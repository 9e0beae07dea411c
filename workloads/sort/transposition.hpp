// Odd-even transposition sort: N phases of N/2 comparisons, and a barrier after each phase.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "random.hpp"

namespace sort {

using key = std::uint32_t;

inline std::vector<key> keys(long count) {
  std::vector<key> drawn(static_cast<std::size_t>(count));
  std::mt19937_64 random(static_cast<std::uint64_t>(count));
  // About every third key is there twice.
  for (key& k : drawn) k = workloads::draw_below(random, static_cast<std::uint32_t>(2 * count));
  return drawn;
}

/// All members call it. Even phases compare the keys 0 and 1, 2 and 3, ..., odd ones 1 and 2, 3 and 4, ...
template <class Member>
void transposition_sort(Member& me, std::vector<key>& keys) {
  const long count = static_cast<long>(keys.size());
  for (long phase = 0; phase < count; phase++) {
    const long odd = phase % 2, pairs = (count - odd) / 2;
    const long first = pairs * me.number() / me.count(), end = pairs * (me.number() + 1) / me.count();
    for (key* pair = keys.data() + odd + 2 * first; pair != keys.data() + odd + 2 * end; pair += 2) {
      const key a = pair[0], b = pair[1];
      pair[0] = std::min(a, b);
      pair[1] = std::max(a, b);
    }
    me.barrier();
  }
}

/// The standard library's answer.
inline bool are_sorted_keys(const std::vector<key>& found, std::vector<key> keys) {
  std::sort(keys.begin(), keys.end());
  return found == keys;
}

}  // namespace sort
