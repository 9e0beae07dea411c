// SPDX-License-Identifier: Apache-2.0
// A distributed barrier is data: for each participant, an ordered list of the participants that it signals and awaits.
//
// A plan is built by a small pure function (plans.hpp), proven by a closure over its steps
// (proof.hpp), and run by an executor: plan_barrier.hpp in shared memory.
//
// A slot is a one-bit flag with one writer. `signal` sets it, `await` waits until it is set. A slot
// is used once in an episode. The sense of a flag alternates between its uses; where a fast participant could
// overwrite a flag that a slow one has not seen yet, consecutive episodes use two sets of flags (parities).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weir {

struct step {
  enum class action : std::uint8_t { signal, await };
  action act;
  std::uint32_t slot;

  friend bool operator==(const step&, const step&) = default;
};

struct plan {
  /// The arrival phase and the release phase of one participant. They can be run apart only if `halves` is true.
  struct script {
    std::vector<step> arrival;
    std::vector<step> release;
  };

  std::string name;
  std::vector<script> scripts;          ///< one for each participant
  std::vector<std::uint32_t> slot_line; ///< for each slot its cache line; slots that share one are packed
  std::uint32_t lines = 0;
  unsigned parities = 1;                ///< sets of slots: 1, or 2 that consecutive episodes alternate
  bool halves = false;                  ///< can the phases be run apart, participant 0 gathering all? prove() checks it

  unsigned participants() const { return static_cast<unsigned>(scripts.size()); }
  std::uint32_t slots() const { return static_cast<std::uint32_t>(slot_line.size()); }

  /// Adds a slot on a line of its own, or on the line of an earlier slot.
  std::uint32_t add_slot() { return add_slot_on(lines++); }
  std::uint32_t add_slot_on(std::uint32_t line) {
    slot_line.push_back(line);
    return slots() - 1;
  }
  std::uint32_t line_of(std::uint32_t slot) const { return slot_line[slot]; }
};

/// Slots that fit on one line (with both parities and a gate).
inline constexpr unsigned slots_per_line = 16;

}  // namespace weir
