// The program of an application's threads: a profile of events, generated from parameters or read from a trace [paper 000,
// section 3.1].
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "barriers/registry.hpp"
#include "units.hpp"

namespace weir::simulator {

struct program_event {
  enum class kind : std::uint8_t { compute, barrier, send, receive, lock, unlock };
  kind what;
  std::uint64_t value;  // compute: picoseconds; send, receive: the other member; lock, unlock: its number
};

/// How the computing between two barriers varies.
enum class distribution {
  constant,
  uniform,      ///< between (1 - spread) and (1 + spread) times the mean
  exponential,  ///< with that mean
  slow_member,  ///< member 0 computes `slow` times as long
};

/// What each episode is.
enum class construct : std::uint8_t {
  barrier,
  region,     ///< a parallel region: member 0 releases the others, and all meet at its end
  reduction,  ///< a region in which each member adds to one variable before the end
};

/// How member 0 releases the others into a region.
enum class release : std::uint8_t {
  word,     ///< one word, for which all others wait awake
  barrier,  ///< a barrier like the one at the region's end
};

struct application {
  std::string name = "application";
  construct what = construct::barrier;
  release begins_by = release::word;
  unsigned members = 1;
  std::string barrier = "sense";
  std::string waiting = "spin";
  plans::shape shape;
  std::shared_ptr<const plan> made_of;  // instead of a barrier by name
  bool own_lines = false;  // does each member of a large team make the lines that it awaits, as in the library? (team::spread)
  unsigned barriers = 1;  // episodes
  unsigned warmup = 0;    // episodes before counting begins
  time compute = 0;
  distribution varies = distribution::constant;
  double spread = 0.5, slow = 2;
  time arrives = 0;
  unsigned processors = 0;  // of its partition; 0: as many as it has members
  bool by_blocks = false;   // members that share a processor are neighbours
  std::vector<std::vector<program_event>> trace;  // for each member, if not empty
};

/// Reads a trace: JSON lines (docs/simulator/traces.md). Throws bad_file: the file, line, key and what was expected.
std::vector<std::vector<program_event>> read_trace(const std::string& path);

/// Multiplies the durations of all computing in a trace: the machine that it was recorded on was faster by this factor.
void slow_down(std::vector<std::vector<program_event>>& trace, double times);

/// Random numbers that are the same everywhere: splitmix64.
class dice {
 public:
  explicit dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  double uniform();  ///< [0, 1)

 private:
  std::uint64_t state_;
};

/// The computing of one member before one barrier.
time draw(const application& a, unsigned member, dice& d);

}  // namespace weir::simulator
