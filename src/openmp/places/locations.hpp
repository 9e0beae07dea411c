// The processors that the program may use, and where they lie in the machine.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace weir {
class topology;
}

namespace weir::openmp {

/// Where a processor lies. Numbers count from 0 over the whole machine, except `thread`, which counts within its core.
struct location {
  int processor;
  int thread, core, socket, ll_cache, numa_domain;
};

/// What the settings ask of the machine.
struct machine_view {
  std::vector<int> processors;  ///< in the affinity mask, ascending
  double usable;                ///< how many processors the quota allows of these
  std::function<std::vector<location>()> locations;  ///< called only if places are named by kind (cores, sockets)
};

machine_view this_machine();
/// How many processors the program sees: those of the affinity mask, unless WEIR_PROCESSORS says otherwise
/// (machine/visible_processors.hpp).
int visible_processors();

/// The locations of a machine's processors, in the machine's own order: neighbours are near each other. A processor that the
/// kernel does not describe counts as a core of its own, in the socket and the memory of all others.
std::vector<location> locations_in(const topology&);

/// The processors in the affinity mask, in the machine's own order: neighbours are near each other.
/// A machine that has no locations counts as one socket of single-threaded cores.
std::vector<location> locations_of(const machine_view&);

}  // namespace weir::openmp
