// What "auto" takes for a team, with the reason. The measurements are in docs/measurements.
#include <weir/team_barrier.hpp>

#include <algorithm>
#include <cstdint>

#include <weir/barriers/plan_barrier.hpp>
#include <weir/barriers/plans.hpp>
#include <weir/machine/processors.hpp>
#include <weir/machine/topology.hpp>
#include <weir/profile.hpp>

#include "nodes.hpp"

namespace weir {

namespace {
// The most participants for dissemination: with more, its n log n signals take longer than the path of a tournament [paper 001,
// table 1].
constexpr unsigned most_disseminating = 16;

bool is_bound_in_turn(const team& t, std::span<const int> processors) {
  for (std::size_t m = 0; m < t.placement.size(); ++m)
    if (t.placement[m] != processors[m % processors.size()]) return false;
  return t.placed();
}

/// Are processors that follow each other near each other? In a machine's file they are; systems may number them otherwise.
bool is_numbered_as_simulated(const topology& machine) { return std::ranges::is_sorted(machine.processors()); }

bool is_oversubscribed(const team& t) {
  for (unsigned m = 0; m < t.members; ++m)
    if (t.oversubscribed(m)) return true;
  return false;
}

/// The barriers that may be faster than the usual one, somewhere, for members that have a processor each: those that are the
/// fastest on some measured or simulated machine (docs/measurements, docs/simulator). Where members share processors none has
/// been.
std::vector<const char*> others(const team& t) {
  constexpr unsigned many = 32;  // one line for all becomes slower with each member
  if (t.members == 1 || !t.kernel_threads || t.usable < t.members || is_oversubscribed(t)) return {};
  if (t.members == 2) return {"sense", "dissemination"};
  if (t.members <= most_disseminating) return {"tournament-nodes", "sense"};
  if (t.members <= many) return {"dissemination", "sense"};
  return {"dissemination"};
}
}

choice choose(const team& t) { return candidates(t).front(); }

std::vector<choice> candidates(const team& t) {
  if (t.members > 1)  // a thread alone needs no file
    if (const auto& known = profile_here().profile)
      if (auto found = choose(t, *known, affinity());
          found && (!plans::names_levels(found->algorithm) || !known->simulated || is_numbered_as_simulated(topology_here())))
        return {*std::move(found)};
  if (t.members > most_disseminating) return candidates(t, topology_here());
  return candidates(t, topology({}));  // the machine's files are not read
}

std::vector<choice> candidates(const team& t, const topology& machine) {
  std::vector<choice> choices{choose(t, machine)};
  for (const char* name : others(t))
    choices.push_back({name, "auto", "measured while the members ran: in a trial it was faster than the barrier before it"});
  return choices;
}

std::optional<choice> choose(const team& t, const machine_profile& known, std::span<const int> processors) {
  const auto* const found = found_in(known, t.members, t.placed());
  if (found == nullptr || !is_like_those_tried(t, known, processors)) return std::nullopt;
  if (plans::names_levels(found->barrier) && !is_bound_in_turn(t, processors)) return std::nullopt;
  const auto rounded = [](double ns) { return std::to_string(static_cast<std::uint64_t>(ns + 0.5)) + " ns"; };
  const std::string size = found->members == t.members ? "" : " with " + std::to_string(found->members) + " threads";
  return choice{found->barrier, "auto",
                (known.simulated ? "simulated for this machine on " : "measured on this machine on ") + known.date + size + ": " +
                    rounded(found->ns) + ", where " + found->usual + " takes " + rounded(found->usual_ns)};
}

choice choose(const team& t, const topology& machine) {
  const std::string members = std::to_string(t.members), processors = std::to_string(t.processors);
  const bool oversubscribed = is_oversubscribed(t);
  if (t.members == 1) return {"counter", "auto", "one thread has nobody to wait for"};
  if (oversubscribed && t.placed())
    return {seating::by_processor(t).seats <= most_disseminating ? "combination-dissemination" : "combination", "auto",
            "threads share processors, and it is known which: the threads of a processor meet there first, at the cost of one "
            "context switch each, and only one of them meets those of the other processors (Markatos et al. 1991)"};
  if (oversubscribed)
    return {
        "sense", "auto",
        members + " threads on " + processors + (t.processors == 1 ? " processor" : " processors") +
            ", and it is not known which runs where: a central barrier switches to each thread once in an episode, and a tree "
            "may need a context switch at each level (Markatos et al. 1991, section 4.1)"};
  if (t.members == 2)
    return {"distributed", "auto", "one cache line holds the flags of both threads, so it is transferred once in each direction"};
  if (t.members <= most_disseminating)
    return {"dissemination", "auto",
            "there is a processor for each of at most " + std::to_string(most_disseminating) +
                " threads: dissemination has the shortest critical path (Nanjegowda et al. 2009, table 1)"};
  const std::string many = "there is a processor for each of more than " + std::to_string(most_disseminating) + " threads";
  if (const auto* const nodes = nodes_of(machine))
    return {"exchange-nodes", "auto",
            many + ", and the machine has " + std::to_string(nodes->groups) +
                " parts with a cache or a memory of their own: a tree in each part keeps most signals near, and dissemination "
                "between "
                "the parts is the shortest way (simulated on this kind of machine: docs/simulator)"};
  return {
      "exchange-nodes", "auto",
      many +
          ": neighbours meet in a tree, and dissemination between them sends fewer signals than one of all threads (simulated "
          "on one chip: docs/simulator)"};
}

}  // namespace weir
