// What the tables say of a barrier. Everybody else asks the tables: there is no other list of barriers.
#pragma once

#include <optional>

namespace weir {

/// The two phases of a barrier in which all members meet at member 0 or at one word, for a caller that runs one phase alone.
struct central_phases {
  bool one_counter;  ///< arrival phase: all members add to one counter; otherwise each has a flag that member 0 awaits
  bool one_flag;     ///< release phase: all members await one flag; otherwise each has its own
};

/// Of a barrier that is no plan; its class says them. A plan's are in its row of plans::table.
struct barrier_properties {
  const char* name;         ///< in C++, in C, on the command line and in records
  const char* about;        ///< one line for users
  bool logarithmic = false; ///< does the critical path grow with log P?
  bool placed = false;      ///< does the algorithm ask which processor each member is bound to?
  std::optional<central_phases> phases = {};  ///< where its arrival phase and its release phase can be run apart
};

}  // namespace weir
