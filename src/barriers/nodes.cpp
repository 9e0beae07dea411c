#include "nodes.hpp"

#include <algorithm>
#include <map>

namespace weir {

const topology::division* nodes_of(const topology& machine) {
  for (const char* kind : {"cache", "memory"})
    if (const auto* const found = machine.find(kind); found != nullptr && found->groups > 1) return found;
  return nullptr;
}

unsigned members_of_a_node(const team& t, const topology& machine) {
  const topology::division* const nodes = nodes_of(machine);
  if (nodes == nullptr) return 0;
  std::map<int, unsigned> node_of;
  for (std::size_t i = 0; i < machine.processors().size(); ++i) node_of.emplace(machine.processors()[i], nodes->group_of[i]);
  std::vector<unsigned> runs;
  unsigned before = 0;
  for (const int processor : t.placed() ? t.placement : machine.processors()) {
    const auto found = node_of.find(processor);
    if (found == node_of.end()) return 0;
    if (runs.empty() || found->second != before) runs.push_back(0);
    ++runs.back();
    before = found->second;
  }
  const bool regular = std::all_of(runs.begin(), runs.end() - 1, [&](unsigned run) { return run == runs.front(); });
  return regular && runs.back() <= runs.front() ? runs.front() : 0;
}

bool goes_by_nodes(std::string_view algorithm) {
  return algorithm == plans::called("tournament-nodes").name || algorithm == plans::called("exchange-nodes").name;
}

plans::shape shape_by_nodes(const team& t, const topology& machine, plans::shape form) {
  if (const unsigned node = members_of_a_node(t, machine); node != 0) form.node = node;
  return form;
}

}  // namespace weir
