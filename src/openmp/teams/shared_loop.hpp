// A loop whose iterations are divided among the members of a team: what the members have in common. A template over a Machine.
#pragma once

#include <cstdint>

#include <weir/machine/machine.hpp>

#include "openmp/settings/settings.hpp"
#include "openmp/teams/loop_end.hpp"
#include "openmp/teams/slot.hpp"
#include "openmp/teams/turns.hpp"

namespace weir::openmp {

/// Iterations of a loop, counted from 0: from begin up to end, or none.
struct iterations {
  std::uint64_t begin = 0, end = 0;
  explicit operator bool() const { return begin < end; }
};

struct loop_plan {
  schedule_kind kind = schedule_kind::dynamic;
  std::uint64_t trips = 0;
  std::uint64_t chunk = 1;  // of static: 0 is one block for each member
  bool monotonic = true;    // must each member execute its chunks in the order of the loop?
  bool ordered = false;     // has it ordered regions?
};

/// Sections are a loop over their numbers. Each member has the plan itself: what all have in common is read by all.
template <class Machine>
struct shared_loop : slot<Machine> {
  alignas(line_bytes) typename Machine::template word<std::uint64_t> taken{0};  // iterations, if it is not divided
  loop_end<Machine> end;                                                        // if it is
  turns<Machine> ordered;
};

}  // namespace weir::openmp
