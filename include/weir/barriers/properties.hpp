// SPDX-License-Identifier: Apache-2.0
// The properties of a barrier in the tables. There is no other list of barriers, so all other code asks the tables.
#pragma once

#include <optional>

namespace weir {

/// The two phases of a barrier in which all members meet at member 0 or at one word, for a caller that runs one phase alone.
struct central_phases {
  bool one_counter;  ///< arrival phase: all members add to one counter; otherwise each has a flag that member 0 awaits
  bool one_flag;     ///< release phase: all members await one flag; otherwise each has its own
};

/// The properties of a barrier that is no plan; its class states them. The properties of a plan are in its row of plans::table.
struct barrier_properties {
  const char* name;         ///< in C++, in C, on the command line and in records
  const char* about;        ///< one line for users
  bool logarithmic = false; ///< does the critical path grow with log P?
  bool placed = false;      ///< does the algorithm ask which processor each member is bound to?
  std::optional<central_phases> phases = {};  ///< where its arrival phase and its release phase can be run apart
};

}  // namespace weir
