// Executes a construct on a runtime, and says what it took.
#pragma once

#include <string>
#include <vector>

#include "simulator/memory.hpp"
#include "simulator/openmp/constructs.hpp"
#include "simulator/openmp/team.hpp"

namespace weir::simulator::openmp {

struct question {
  std::string construct, runtime;
  unsigned members = 2;  // each on a processor of the machine
  std::uint64_t seed = 1;
  time delay = from_ns(100);
  placement homes = placement::allocator;
};

/// What one directive took, in the mean of those that count.
struct result {
  std::vector<double> episode_ns;  // of each sample
  unsigned inner = 1;              // directives in a sample
  double reference_ns = 0;
  double floor_ns = 0;  // what the machine lets no runtime be faster than (floor.hpp); 0: not known for this construct
  /// Transfers of lines by distance, atomic updates, system calls, threads woken.
  std::vector<double> moved;
  double atomics = 0, failed = 0, calls = 0, woken = 0;
  double busiest_line = 0;    // the transfers of the line that moves most often
  double read_line = 0;       // those to readers, of the line with most of them
  double busiest_member = 0;  // the transfers to the member that fetches most lines
  /// Transfers on the longest chain that leads from one directive's end to the next one's, in which each depends on the one
  /// before.
  double critical_path = 0;
  std::uint64_t accesses = 0;
  double host_seconds = 0;

  double overhead_ns() const;
  double all_moved() const;
};

/// Throws std::invalid_argument for a name or a number that is not known, and stuck if the members wait for ever.
result simulate(machine_model m, const question& asked);

}  // namespace weir::simulator::openmp
