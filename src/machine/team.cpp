#include <weir/team.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

#include <weir/machine/processors.hpp>

namespace weir {

bool team::oversubscribed(unsigned member) const {
  if (placement.empty()) return members > processors;
  return std::count(placement.begin(), placement.end(), placement[member]) > 1;
}

team checked(team t) {
  if (t.members == 0) throw std::invalid_argument("weir: a barrier needs at least 1 member, not 0");
  if (t.members > max_members)
    throw std::invalid_argument("weir: a barrier takes at most " + std::to_string(max_members) + " members, not " +
                                std::to_string(t.members));
  if (!t.placement.empty() && t.placement.size() != t.members)
    throw std::invalid_argument("weir: the placement names " + std::to_string(t.placement.size()) +
                                " processors for " + std::to_string(t.members) +
                                " members: give one for each, or none");
  return t;
}

team team_here(unsigned members, std::vector<int> placement) {
  team t;
  t.members = members;
  t.placement = std::move(placement);
  t.processors = static_cast<unsigned>(affinity().size());
  t.usable = usable_processors();
  t.spread = members > most_in_one_memory;
  return checked(std::move(t));
}

}  // namespace weir
