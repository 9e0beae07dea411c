// A machine as its file describes it (machines/README.md): costs and distances.
#pragma once

#include <string>
#include <vector>

#include <weir/machine/topology.hpp>

#include "units.hpp"

namespace weir::simulator {

enum class caching { coherent, none };
enum class atomics {
  owned,        ///< the update is done in the owned line, which cannot be invalidated during the update
  conditional,  ///< load-linked and store-conditional: fails if another processor was faster
  memory,       ///< at the memory module
};
enum class clean_copy { nearest, home };
/// Where a line's memory is.
enum class placement {
  waiter,       ///< with the first member that loads it, the waiter [paper 002, section 3.4: "local"]
  first_touch,  ///< with the first member that touches it
  interleaved,  ///< line by line over all
  first,        ///< all with processor 0
  allocator,    ///< with the member that allocated it (engine::allocated); what was there before the run, with processor 0
};

/// One ring around a processor: everything within a group of this many processors.
struct distance {
  std::string name;
  unsigned group = 1;
  time fetch = 0;   ///< a line from another cache in the group
  time memory = 0;  ///< a line from memory in the group
  time busy = 0;    ///< how long one fetch occupies the line
  time bus = 0;     ///< and the group's interconnect
  time ring = 0;    ///< for each hop beyond the first, if the next smaller groups form a ring
};

struct processor_costs {
  time hit = 0, poll = 0, store = 0, atomic = 0;
  unsigned store_buffer = 1;
  unsigned misses = 1;  ///< independent loads that may be in flight
  time invalidate = 0;
};

struct system_costs {
  time quantum = from_us(10'000);
  time switching = 0, yield = 0, sleep = 0, wake = 0, awake = 0, migrate = 0;
};

struct machine_model {
  std::string name;
  unsigned built = 1;       // the processors of the machine; a scenario may use fewer
  unsigned processors = 1;
  unsigned line_bytes = 64;
  caching cached = caching::coherent;
  atomics atomic = atomics::owned;
  clean_copy clean = clean_copy::nearest;
  placement homes = placement::waiter;
  time home_busy = 0;  // how long one request from beyond its nearest group occupies a line's home
  processor_costs processor;
  std::vector<distance> distances;  // nearest first; the last holds all processors
  system_costs system;

  /// The smallest ring around both, as an index of `distances`.
  unsigned between(unsigned a, unsigned b) const;
  /// Latency of a line that goes from the cache of `from`, or the memory beside it, to `to`.
  time fetch(unsigned from, unsigned to, unsigned ring) const { return distances[ring].fetch + around(from, to, ring); }
  time from_memory(unsigned home, unsigned to, unsigned ring) const {
    return distances[ring].memory + around(home, to, ring);
  }

 private:
  time around(unsigned from, unsigned to, unsigned ring) const;
};

/// Reads a machine file. Throws bad_file (toml_reader.hpp): the file, line, key and what was expected.
machine_model read_machine(const std::string& path);

/// Which processors are near each other: the groups of each distance, by its name.
topology topology_of(const machine_model& m);

/// The machine as the files of its kernel describe it to "auto": the nearest groups of its file share a cache. The whole machine,
/// of which a team may use a part.
topology as_described(const machine_model& m);

/// The same machine with only its first `processors`. Throws std::invalid_argument if it has fewer.
machine_model cut(machine_model m, unsigned processors);

}  // namespace weir::simulator
