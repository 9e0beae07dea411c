#include "floor.hpp"

#include <algorithm>
#include <vector>

namespace weir::simulator {

namespace {

time transfer(const machine_model& m, std::size_t ring) {
  return m.cached == caching::coherent ? m.distances[ring].fetch : m.distances[ring].memory;
}

/// How many arrivals each member must know of before one transfer within the ring, if one knows of `wanted` after it.
unsigned needed_before(const machine_model& m, std::size_t ring, unsigned wanted) {
  const unsigned within = ring == 0 ? 1 : m.distances[ring - 1].group, in_ring = std::min(m.distances[ring].group, m.processors);
  const unsigned fetched = std::min(m.processor.misses, in_ring - 1);
  if (fetched == 0) return wanted;
  if (wanted <= within) return 1;
  // It keeps what it has known itself, or what its part of the ring knows.
  return std::min((wanted - within + fetched - 1) / fetched, (wanted + fetched) / (fetched + 1));
}

}  // namespace

time floor_of_barrier(const machine_model& whole, unsigned members) {
  if (members < 2) return 0;
  const machine_model m = cut(whole, members);
  std::vector<time> least(members + 1, 0);  // until a member knows of this number of arrivals
  for (unsigned known = 2; known <= members; ++known) {
    least[known] = -1;
    for (std::size_t ring = 0; ring < m.distances.size(); ++ring) {
      const unsigned before = needed_before(m, ring, known);
      if (before >= known) continue;
      const time took = least[before] + transfer(m, ring);
      if (least[known] < 0 || took < least[known]) least[known] = took;
    }
  }
  const std::size_t outermost = m.distances.size() - 1;
  return transfer(m, outermost) + least[needed_before(m, outermost, members)];
}

time floor_of_region(const machine_model& m, unsigned members) {
  return members < 2 ? 0 : transfer(m, cut(m, members).distances.size() - 1) + floor_of_barrier(m, members);
}

}  // namespace weir::simulator
