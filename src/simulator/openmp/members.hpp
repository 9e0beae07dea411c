// The members of a team of Weir's runtime, as far as its templates ask for them: the fields have the names of those of
// openmp/teams/member.hpp.
#pragma once

#include <memory>

#include "openmp/teams/half.hpp"
#include "openmp/teams/part.hpp"
#include "openmp/teams/shared_loop.hpp"
#include "simulator/openmp/tasks.hpp"
#include "simulator/simulated.hpp"

namespace weir::simulator::openmp {

struct shared;

struct alignas(line_bytes) member {
  shared* of = nullptr;
  unsigned number = 0;
  std::uint32_t singles = 0, loops = 0, left_by_all = 0, reductions = 0;
  alignas(64) weir::openmp::iterations claimed;
  weir::openmp::iterations chunk;
  std::uint64_t claimed_chunk = 0;
  weir::openmp::shared_loop<simulated>* in_loop = nullptr;
  weir::openmp::loop_plan plan;
  bool counted = false, divided = false;
  std::uint64_t ordered_after = 0;
  std::uint64_t turn = 0;
  std::uint32_t last_claim = 1;
  tasks_of_member tasks;
  alignas(line_bytes) simulated::word<std::uint32_t> offered{0}, taken{0};
  simulated::word<std::uint64_t>* values = nullptr;
  simulated::gate reduction_gate;
  // The program's private variable in a reduction. Not on the fiber's stack: a store may take effect after its function has
  // returned.
  alignas(line_bytes) simulated::word<std::uint64_t> value{0};
  weir::openmp::division divisions[weir::openmp::slots_in_turn];
  alignas(line_bytes) weir::openmp::part<simulated> parts[weir::openmp::slots_in_turn];
  weir::openmp::loop_end<simulated> ends[weir::openmp::slots_in_turn];
  simulated::word<std::uint32_t> left[weir::openmp::slots_in_turn];
};

/// What the members have in common.
struct shared {
  explicit shared(unsigned members_of_team);

  const unsigned size;
  const std::unique_ptr<member[]> members;
  const std::unique_ptr<weir::openmp::shared_loop<simulated>[]> loops;
  const weir::openmp::half reduction;
  alignas(line_bytes) simulated::word<std::uint32_t> singles_taken{0};
  alignas(line_bytes) waiting::experience<simulated> learned;
};

}  // namespace weir::simulator::openmp
