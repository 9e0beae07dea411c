#include "openmp/places/place_partition.hpp"

#include <algorithm>

namespace weir::openmp {

namespace {

/// `all` things in consecutive parts of nearly one size: those at the beginning have one more where they do not divide evenly.
struct division {
  int all, parts;

  int begin(int part) const { return part * (all / parts) + std::min(part, all % parts); }
  int size(int part) const { return begin(part + 1) - begin(part); }
  int part_of(int thing) const {
    const int small = all / parts, larger = all % parts;
    return thing < larger * (small + 1) ? thing / (small + 1) : larger + (thing - larger * (small + 1)) / small;
  }
};

}  // namespace

std::vector<seat> seats_of(const seat& primary, bind how, unsigned members) {
  std::vector<seat> seats(members, primary);
  if (primary.place < 0 || how == bind::primary) return seats;
  const int team = static_cast<int>(members), places = primary.count, own = primary.place - primary.first;
  const bool narrowed = how == bind::spread;
  if (team > places) {
    // Consecutive threads share a place, the first ones that of the primary thread.
    const division threads{team, places};
    for (int m = 0; m < team; ++m) {
      seat& s = seats[static_cast<std::size_t>(m)];
      s.place = primary.first + (own + threads.part_of(m)) % places;
      if (narrowed) s = {s.place, s.place, 1};
    }
    return seats;
  }

  const division partition{places, team};
  const int part_of_primary = partition.part_of(own);
  for (int m = 0; m < team; ++m) {
    seat& s = seats[static_cast<std::size_t>(m)];
    if (narrowed) {
      const int part = (part_of_primary + m) % team, first = primary.first + partition.begin(part);
      s = {m == 0 ? primary.place : first, first, partition.size(part)};
    } else {
      s.place = primary.first + (own + m) % places;
    }
  }
  return seats;
}

}  // namespace weir::openmp
