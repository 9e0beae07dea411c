// A machine as its file describes it (machines/README.md): costs and distances.
#pragma once

#include <string>
#include <vector>

#include "units.hpp"

namespace weir::simulator {

enum class caching { coherent, none };
enum class atomics {
  owned,        ///< the update is done in the owned line, which cannot be taken away meanwhile
  conditional,  ///< load-linked and store-conditional: fails where another was faster
  memory,       ///< at the memory module
};
enum class clean_copy { nearest, home };
/// Where a line's memory is.
enum class placement {
  waiter,       ///< with the first member that loads it: where it is waited for [paper 002, section 3.4: "local"]
  first_touch,  ///< with the first member that touches it
  interleaved,  ///< line by line over all
  first,        ///< all with processor 0
};

/// One ring around a processor: everything within a group of so many processors.
struct distance {
  std::string name;
  unsigned group = 1;
  time fetch = 0;   ///< a line from another cache in the group
  time memory = 0;  ///< a line from memory in the group
  time busy = 0;    ///< the line is busy with one fetch for so long
  time bus = 0;     ///< and the group's interconnect for so long
  time ring = 0;    ///< for each hop beyond the first, where the next smaller groups lie in a ring
};

struct processor_costs {
  time hit = 0, poll = 0, store = 0, atomic = 0;
  unsigned store_buffer = 1;
  unsigned misses = 1;  ///< loads that may be on their way at once, where none waits for another
  time invalidate = 0;
};

struct system_costs {
  time quantum = from_us(10'000);
  time switching = 0, yield = 0, sleep = 0, wake = 0, awake = 0, migrate = 0;
};

struct machine_model {
  std::string name;
  unsigned built = 1;       // with so many processors; a scenario may use fewer
  unsigned processors = 1;
  unsigned line_bytes = 64;
  caching cached = caching::coherent;
  atomics atomic = atomics::owned;
  clean_copy clean = clean_copy::nearest;
  placement homes = placement::waiter;
  time home_busy = 0;  // a line's home serves the requests from beyond its nearest group one after the other
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

/// The same machine cut down to its first `processors`. Throws std::invalid_argument where it has fewer.
machine_model cut(machine_model m, unsigned processors);

}  // namespace weir::simulator
