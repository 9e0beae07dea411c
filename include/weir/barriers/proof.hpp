// A proof that a plan is a barrier, by a closure over its steps.
#pragma once

#include <string>

#include <weir/barriers/plan.hpp>

namespace weir {

struct proof {
  bool holds = false;
  std::string why;             ///< where it does not hold: which participant, step, slot
  unsigned critical_path = 0;  ///< the longest chain of signals, each one line transfer long
};

/// Runs the plan symbolically over consecutive episodes. What a participant *knows* at a point is the set
/// of events that must have happened before: arrivals, and awaits of slots. A signal carries the
/// signaller's knowledge into the slot, an await adds the slot's to the waiter's. The plan holds if
///   - every slot has exactly one signaller, and is signalled in each episode;
///   - no participant waits for ever;
///   - whoever leaves an episode knows that all have arrived in it;
///   - a flag is written again only by a signaller that knows that all have read it.
/// O(steps x (participants + awaits) / 64) time. Pure.
proof prove(const plan& p);

}  // namespace weir
