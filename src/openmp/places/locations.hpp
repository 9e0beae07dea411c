// The processors that the program may use, and where they lie in the machine.
#pragma once

#include <functional>
#include <string>
#include <vector>

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
/// How many processors the program hears of: those of the affinity mask, unless WEIR_PROCESSORS says otherwise (machine/heard.hpp).
int processors_heard();

/// The locations of these processors, read from `root`/sys/devices/system, in the machine's own order: neighbours are near each
/// other. A processor that the kernel does not describe counts as a core of its own, in the socket and the memory of all others.
/// A file is read once for all processors that share a core, a socket, a cache or a memory: the start of a program waits for it.
std::vector<location> read_locations(const std::vector<int>& processors, const std::string& root);

/// The processors in the affinity mask, in the machine's own order: neighbours are near each other.
/// A machine that has no locations counts as one socket of single-threaded cores.
std::vector<location> locations_of(const machine_view&);

}  // namespace weir::openmp
