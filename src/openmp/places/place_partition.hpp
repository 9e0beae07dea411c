// Which places the threads of a team get, by the policies of thread affinity [OpenMP 5.2, 10.1.3].
#pragma once

#include <vector>

#include "openmp/settings/settings.hpp"

namespace weir::openmp {

/// Where a thread stands among the places: on which, and the part of them that its regions are kept to.
struct seat {
  int place = -1;          ///< -1: it is not bound
  int first = 0, count = 0;  ///< place-partition-var: so many places from there
  bool operator==(const seat&) const = default;
};

/// Those of a team's members; the primary thread, which opens the region, has a place already.
std::vector<seat> seats_of(const seat& primary, bind how, unsigned members);

}  // namespace weir::openmp
