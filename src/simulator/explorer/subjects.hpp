// Every barrier of the registry as a subject.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "barriers/registry.hpp"
#include "explored.hpp"

extern template class weir::registry<weir::explorer::explored>;  // in subjects.cpp

namespace weir::explorer {

/// The team is on `processors` processors, round robin; 0: as many as members.
inline team explored_team(unsigned members, unsigned processors = 0) {
  team t;
  t.members = members;
  t.processors = processors == 0 ? members : processors;
  t.usable = t.processors;
  for (unsigned m = 0; m < members; ++m) t.placement.push_back(static_cast<int>(m % t.processors));
  return t;
}

/// Throws std::invalid_argument for a name that is not known; it lists the known ones.
subject barrier_subject(const std::string& algorithm, const std::string& waiting, const team& t, unsigned episodes);

/// The same with a completion in each episode.
subject completing_subject(const std::string& algorithm, const std::string& waiting, const team& t, unsigned episodes,
                           completed_by who);

/// The numbers of processors on which to explore a team: if the members' placement makes a difference, also with some members and
/// with all members sharing one.
std::vector<unsigned> placements(const std::string& algorithm, const std::string& waiting, unsigned members);

}  // namespace weir::explorer
