#include "openmp/core/half.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>

#include <weir/barriers/plans.hpp>
#include <weir/team_barrier.hpp>

#include "machine/made_once.hpp"

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

/// Of a barrier that is no plan.
central_phases phases_of(const std::string& name) {
  if (const auto phases = central_phases_of(name)) return *phases;
  throw std::invalid_argument("weir: the barrier " + name + " has no two halves");
}

std::optional<plan> halved_plan(const std::string& name, unsigned members) {
  auto p = plans::by_name(name, members);
  if (p && !p->halves) throw std::invalid_argument("weir: the barrier " + name + " has no two halves");
  return p;
}

/// Does the first participant of many let all go by one flag? Of two the first has one in any plan.
bool has_one_flag(const std::string& name) {
  const plan p = plans::by_name(name, 64).value();
  const auto& first = p.scripts[0].release;
  return first.size() == 1 && std::all_of(p.scripts.begin() + 1, p.scripts.end(), [&](const plan::script& s) {
           return s.release == std::vector<step>{{step::action::await, first[0].slot}};
         });
}

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
  if (const auto p = halved_plan(name, members)) return {children_of(*p, &plan::script::arrival, step::action::await), false};
  return {star(members), phases_of(name).one_counter};
}

half half::release(const std::string& name, unsigned members) {
  if (name == "auto") return release("tournament", members);
  if (const auto p = halved_plan(name, members))
    return {children_of(*p, &plan::script::release, step::action::signal), has_one_flag(name)};
  return {star(members), phases_of(name).one_flag};
}

const std::vector<std::string>& halved_barriers() {
  static constinit made_once<std::vector<std::string>> names;
  return names([] {
    std::vector<std::string> all;
    for (const algorithm& a : algorithms())
      if (a.halves) all.push_back(a.name);
    return all;
  });
}

}  // namespace weir::openmp
