// SPDX-License-Identifier: Apache-2.0
// A team: the members that meet at a barrier, and the processors on which they run.
#pragma once

#include <optional>
#include <vector>

namespace weir {

class topology;
class work_of_members;

/// The largest team whose lines may all lie in one memory.
inline constexpr unsigned most_in_one_memory = 16;

/// The largest team. Plans are proven for sizes up to 1,024 (tests/barriers), and the same functions build larger ones. The limit
/// keeps a miscounted size from taking all memory.
inline constexpr unsigned max_members = 1u << 16;

struct team {
  unsigned members = 1;
  std::vector<int> placement;  ///< the processor of each member; empty: unknown
  unsigned processors = 1;     ///< how many the members may run on
  double usable = 1;           ///< `processors`, less what a CPU quota takes away
  std::optional<double> awake_us = {};  ///< how long `auto` waits awake, instead of its default; negative: not at all
  bool kernel_threads = true;           ///< does the kernel schedule the members, one by one?
  /// Do members make the lines that they await, at the cost of a central barrier in the first episode? In a barrier that is a
  /// plan.
  bool spread = false;
  work_of_members* work = nullptr;      ///< what members do while they wait (waiting.hpp); null: nothing else

  /// Does another member run on the processor of this member? If the placement is unknown: are there more members than
  /// processors?
  bool oversubscribed(unsigned member) const;
  bool placed() const { return !placement.empty(); }
};

/// A team on this machine, with the processors that this process may use.
/// Throws std::invalid_argument for 0 or more than max_members members, and for a placement that
/// does not name a processor for each member.
team team_here(unsigned members, std::vector<int> placement = {});

/// Throws as team_here does; returns its argument.
team checked(team t);

/// How many consecutive members of the team are in one node of the machine (processors that share a last cache or, if there is
/// but one, a memory), if it is as many for each node that they come to, the last one apart. Members whose processors are unknown
/// are taken to follow the machine's order, as those of an OpenMP team do. 0: it is irregular, or there are no nodes. Pure.
unsigned members_of_a_node(const team& t, const topology& machine);

}  // namespace weir
