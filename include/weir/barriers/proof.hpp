// SPDX-License-Identifier: Apache-2.0
// A proof that a plan is a barrier, by a closure over its steps.
#pragma once

#include <optional>
#include <string>

#include <weir/barriers/plan.hpp>

namespace weir {

struct proof {
  bool holds = false;
  std::string why;             ///< where it does not hold: which participant, step, slot
  unsigned critical_path = 0;  ///< the longest chain of signals, each one line transfer long
};

/// Runs the plan symbolically over consecutive episodes. What a participant *knows* at a point is the set of
/// events that must have happened before it: arrivals, and awaits of slots. A signal copies the signaller's
/// knowledge into the slot, an await adds the slot's knowledge to the waiter's. The plan is a barrier if
///   - it is well formed, as malformed() says;
///   - no participant waits for ever;
///   - a participant that leaves an episode knows that all have arrived at it;
///   - a flag is written again only by a signaller that knows that all have read it;
///   - if the plan claims two halves: at the end of its arrival half participant 0 knows that all have
///     arrived; a participant that leaves knows that participant 0 has reached that point; and no arrival
///     half waits for a release half.
/// O(steps x (participants + awaits) / 64) time. Pure.
proof prove(const plan& p);

/// Why no executor could lay the plan out, or nothing: a slot or a line that does not exist, more slots on a line
/// than fit, a slot that has not exactly one signaller. O(steps) time. Pure.
std::optional<std::string> malformed(const plan& p);

/// The same plan. Throws std::invalid_argument where the proof fails.
const plan& proven(const plan& p);

/// The same plan, for plans of plans.hpp, which the tests prove. Checked builds prove it as well, up to a size at which that
/// takes milliseconds.
inline const plan& trusted(const plan& p) {
#ifdef WEIR_CHECKED
  constexpr unsigned most = 256;
  if (p.participants() <= most) return proven(p);
#endif
  return p;
}

}  // namespace weir
