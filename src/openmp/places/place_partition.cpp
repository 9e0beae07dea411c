#include "openmp/places/place_partition.hpp"

#include <algorithm>

namespace weir::openmp {

namespace {

/// Items in consecutive parts of nearly equal size: if they do not divide evenly, the first parts have one more.
struct division {
  int items, parts;

  int begin(int part) const { return part * (items / parts) + std::min(part, items % parts); }
  int size(int part) const { return begin(part + 1) - begin(part); }
  int part_of(int item) const {
    const int small = items / parts, larger = items % parts;
    return item < larger * (small + 1) ? item / (small + 1) : larger + (item - larger * (small + 1)) / small;
  }
};

}  // namespace

std::vector<thread_binding> bindings_of(const thread_binding& primary, bind how, unsigned members) {
  std::vector<thread_binding> bindings(members, primary);
  if (primary.place < 0 || how == bind::primary) return bindings;
  const int team = static_cast<int>(members), places = primary.count, own = primary.place - primary.first;
  const bool narrowed = how == bind::spread;
  if (team > places) {
    // Consecutive threads have one place; the first of them have the place of the primary thread.
    const division threads{team, places};
    for (int m = 0; m < team; ++m) {
      thread_binding& b = bindings[static_cast<std::size_t>(m)];
      b.place = primary.first + (own + threads.part_of(m)) % places;
      if (narrowed) b = {b.place, b.place, 1};
    }
    return bindings;
  }

  const division partition{places, team};
  const int part_of_primary = partition.part_of(own);
  for (int m = 0; m < team; ++m) {
    thread_binding& b = bindings[static_cast<std::size_t>(m)];
    if (narrowed) {
      const int part = (part_of_primary + m) % team, first = primary.first + partition.begin(part);
      b = {m == 0 ? primary.place : first, first, partition.size(part)};
    } else {
      b.place = primary.first + (own + m) % places;
    }
  }
  return bindings;
}

}  // namespace weir::openmp
