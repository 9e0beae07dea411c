#include "openmp/teams/half.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>

#include <weir/barriers/plans.hpp>
#include <weir/team_barrier.hpp>

namespace weir::openmp {

namespace {

using children = std::vector<std::vector<unsigned>>;

/// All other members are children of member 0.
children star(unsigned members) {
  children of_members(members);
  of_members[0].resize(members - 1);
  std::iota(of_members[0].begin(), of_members[0].end(), 1u);
  return of_members;
}

using part = std::vector<step> plan::script::*;

/// The children of each member in one half of a plan: the members whose signals it awaits, or that it signals, as `of_parent`
/// says.
children children_of(const plan& p, part which, step::action of_parent) {
  children of_members(p.participants());
  std::vector<std::vector<unsigned>> others(p.slots());  // the members at the other end of a slot
  for (unsigned m = 0; m < p.participants(); ++m)
    for (const step& s : p.scripts[m].*which)
      if (s.act != of_parent) others[s.slot].push_back(m);
  for (unsigned m = 0; m < p.participants(); ++m)
    for (const step& s : p.scripts[m].*which)
      if (s.act == of_parent) of_members[m].insert(of_members[m].end(), others[s.slot].begin(), others[s.slot].end());
  return of_members;
}

/// The arrival of a large team: near members meet first. A member that awaits several others fetches their flags at the same
/// time, so it awaits as many as make few levels.
plan gathering(unsigned members, unsigned near) {
  constexpr unsigned ways = 8;
  if (near == 0 || near >= members) return plans::by_levels(members, {{.size = members, .ways = ways}});
  return plans::by_levels(members, {{.size = near, .ways = ways}, {.ways = ways}});
}

/// The phases of a barrier that is no plan. All members signal member 0, by one counter or by a flag each; member 0 signals all
/// members, by one flag or by a flag each.
central_phases phases_of(const std::string& name) {
  if (const auto phases = central_phases_of(name)) return *phases;
  throw std::invalid_argument("weir: the barrier " + name + " does not consist of two halves");
}

std::optional<plan> halved_plan(const std::string& name, unsigned members) {
  auto p = plans::by_name(name, members);
  if (p && !p->halves) throw std::invalid_argument("weir: the barrier " + name + " does not consist of two halves");
  return p;
}

/// Does participant 0 release all others by one flag? Asked for many participants: with two there is one flag in any plan.
bool has_one_flag(const std::string& name) {
  const plan p = plans::by_name(name, 64).value();
  const auto& first = p.scripts[0].release;
  return first.size() == 1 && std::all_of(p.scripts.begin() + 1, p.scripts.end(), [&](const plan::script& s) {
           return s.release == std::vector<step>{{step::action::await, first[0].slot}};
         });
}

}  // namespace

half::half(const children& of_members, bool central, unsigned groups)
    : central_(central), groups_(groups), parent_(of_members.size(), 0) {
  first_.push_back(0);
  for (unsigned m = 0; m < of_members.size(); ++m) {
    for (const unsigned child : of_members[m]) parent_[child] = m;
    children_.insert(children_.end(), of_members[m].begin(), of_members[m].end());
    first_.push_back(static_cast<unsigned>(children_.size()));
  }
}

half half::arrival(const std::string& name, unsigned members, bool oversubscribed, unsigned seats) {
  if (name == "auto") {
    if (oversubscribed && seats > 1) return {star(members), true, std::min(seats, most_groups)};  // hardly a transfer
    // Members that share processors may sleep, so only the last to arrive should wake the waiter. Otherwise, with a flag for each
    // member, an arrival costs one transfer and no read-modify-write; with many members the polls of member 0 add up [paper 001,
    // table 1].
    return arrival(oversubscribed ? "sense" : members <= 8 ? "distributed-sensor" : "tournament", members, oversubscribed);
  }
  if (const auto p = halved_plan(name, members)) return {children_of(*p, &plan::script::arrival, step::action::await), false};
  return {star(members), phases_of(name).one_counter};
}

half half::join(const std::string& name, unsigned members, bool oversubscribed, unsigned seats, unsigned near) {
  if (name != "auto" || oversubscribed || members <= most_in_one_memory) return arrival(name, members, oversubscribed, seats);
  return {children_of(gathering(members, near), &plan::script::arrival, step::action::await), false};
}

half half::release(const std::string& name, unsigned members) {
  // One flag for all, as in the tournament, but without building the tournament's plan: some programs do little more than create
  // the team of their first region.
  if (name == "auto") return {star(members), true};
  if (const auto p = halved_plan(name, members))
    return {children_of(*p, &plan::script::release, step::action::signal), has_one_flag(name)};
  return {star(members), phases_of(name).one_flag};
}

}  // namespace weir::openmp
