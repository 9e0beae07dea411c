#include "openmp/places/locations.hpp"

#include <algorithm>

#include <weir/machine/processors.hpp>
#include <weir/machine/topology.hpp>

#include "machine/visible_processors.hpp"

namespace weir::openmp {

std::vector<location> locations_in(const topology& machine) {
  std::vector<location> result;
  const auto number = [&](std::size_t place, const char* kind, unsigned otherwise) {
    const auto* const found = machine.find(kind);
    return static_cast<int>(found == nullptr ? otherwise : found->group_of[place]);
  };
  for (std::size_t i = 0; i < machine.processors().size(); ++i) {
    const int p = machine.processors()[i];
    const int socket = number(i, "socket", 0);
    result.push_back({p, static_cast<int>(machine.thread(p)), number(i, "core", static_cast<unsigned>(i)), socket,
                      number(i, "cache", static_cast<unsigned>(socket)), number(i, "memory", 0)});
  }
  return result;
}

std::vector<location> locations_of(const machine_view& machine) {
  std::vector<location> result;
  if (machine.locations)
    for (const auto& where : machine.locations())
      if (std::binary_search(machine.processors.begin(), machine.processors.end(), where.processor))
        result.push_back(where);
  if (result.empty())
    for (const int p : machine.processors) result.push_back({p, 0, p, 0, 0, 0});
  return result;
}

int visible_processors() {
  const std::size_t usable = std::max<std::size_t>(affinity().size(), 1);
  return static_cast<int>(visible::processors().value_or(static_cast<unsigned>(usable)));
}

machine_view this_machine() {
  const auto visible_count = visible::processors();
  return {affinity(), visible_count ? *visible_count : usable_processors(), [] { return locations_in(topology_here()); }};
}

}  // namespace weir::openmp
