#include "half.hpp"

#include <numeric>
#include <optional>

#include <weir/barriers/plans.hpp>

namespace weir::openmp {

namespace {

using children = std::vector<std::vector<unsigned>>;

/// All others are member 0's children.
children star(unsigned members) {
  children all(members);
  all[0].resize(members - 1);
  std::iota(all[0].begin(), all[0].end(), 1u);
  return all;
}

using part = std::vector<step> plan::script::*;

/// Of a half in which `tellers` signal and the others await: whose child is who tells it, or whom it tells.
children children_of(const plan& p, part which, step::action of_parent) {
  children all(p.participants());
  std::vector<std::vector<unsigned>> others(p.slots());  // who does the other end of a slot
  for (unsigned m = 0; m < p.participants(); ++m)
    for (const step& s : p.scripts[m].*which)
      if (s.act != of_parent) others[s.slot].push_back(m);
  for (unsigned m = 0; m < p.participants(); ++m)
    for (const step& s : p.scripts[m].*which)
      if (s.act == of_parent) all[m].insert(all[m].end(), others[s.slot].begin(), others[s.slot].end());
  return all;
}

bool is_central(const std::string& name) { return name == "counter" || name == "sense"; }
/// Plans whose first participant lets all go by one flag.
bool has_one_flag(const std::string& name) { return name == "tournament" || name == "linear"; }

}  // namespace

half::half(const children& all, bool central) : central_(central), parent_(all.size(), 0) {
  first_.push_back(0);
  for (unsigned m = 0; m < all.size(); ++m) {
    for (const unsigned child : all[m]) parent_[child] = m;
    children_.insert(children_.end(), all[m].begin(), all[m].end());
    first_.push_back(static_cast<unsigned>(children_.size()));
  }
}

half half::arrival(const std::string& name, unsigned members, bool shared) {
  if (name == "auto") {
    // Members that share processors may sleep: the last one alone shall wake who waits. Else a flag for each costs a member
    // one transfer and no read-modify-write; with many of them the first one's looks add up [paper 001, table 1].
    return arrival(shared ? "sense" : members <= 8 ? "distributed-sensor" : "tournament", members, shared);
  }
  const auto p = plans::by_name(name, members);
  if (p) return {children_of(*p, &plan::script::arrival, step::action::await), false};
  return {star(members), is_central(name) || name == "sensor"};
}

half half::release(const std::string& name, unsigned members) {
  if (name == "auto") return release("tournament", members);
  const auto p = has_one_flag(name) ? std::nullopt : plans::by_name(name, members);
  if (p) return {children_of(*p, &plan::script::release, step::action::signal), false};
  return {star(members), is_central(name) || has_one_flag(name)};
}

const std::vector<std::string>& halved_barriers() {
  static const std::vector<std::string> names = {"counter", "sense", "sensor",     "distributed-sensor", "tree",
                                                 "mcs",     "linear", "tournament", "tournament-tree"};
  return names;
}

}  // namespace weir::openmp
