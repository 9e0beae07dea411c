// Explores a team's schedules: all of them, or some drawn at random.
//
// The search is depth first over the states (rules.hpp), which form an acyclic graph, because histories only grow and episodes
// only advance. A state is entered once; a digest of it is kept. With `reduce`, only a persistent set of moves is tried in each
// state (reduction.hpp).
//
// A search may be bounded by preemptions [Musuvathi and Qadeer, PLDI 2007]: another member moves although the last one could.
// Which member has moved last, and how many preemptions there were, then belong to the state.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "rules.hpp"

namespace weir::explorer {

struct counts {
  std::uint64_t states = 0, transitions = 0, local_states = 0;
  /// The number of interleavings that the visited states represent.
  double schedules = 0;
};

struct settings {
  static constexpr unsigned unlimited = ~0u;
  memory_model memory = memory_model::sc;
  orders meant = orders::as_written;
  bool reduce = true;
  unsigned most_preemptions = unlimited;  ///< in a schedule
  std::uint64_t most_states = 20'000'000;
  unsigned most_steps = 20'000;  ///< of one member
  /// Called now and then with the progress; returns whether to continue.
  std::function<bool(const counts&)> go_on = {};
};

struct verdict {
  bool holds = true;
  bool complete =
      true;  ///< whether all schedules within the bound were explored, except those that the reduction proves redundant
  std::string violated;   ///< "" if it holds
  breach found;
  std::vector<move> schedule;  ///< the failing schedule
  std::string timeline;        ///< the same as text
  counts reached;
};

/// Throws std::invalid_argument for teams or episodes beyond the explorer's capacity.
verdict explore(const subject& s, const settings& how = {});

struct random_settings {
  memory_model memory = memory_model::sc;
  unsigned schedules = 100;
  std::uint64_t seed = 1;
  unsigned changes = 3;  ///< of priorities, in each schedule
  unsigned most_steps = 20'000;
  std::function<bool(const counts&)> go_on = {};
};

/// Random priorities with few changes: finds a failure that needs d ordered steps out of k with a
/// probability of at least 1 / (n k^(d-1)) in each schedule [Burckhardt et al., ASPLOS 2010].
/// Never complete.
verdict explore_at_random(const subject& s, const random_settings& how = {});

}  // namespace weir::explorer
