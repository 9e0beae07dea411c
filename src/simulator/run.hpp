// Runs a scenario, and its results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine.hpp"
#include "scenario.hpp"

namespace weir::simulator {

/// One episode of a team, in picoseconds.
struct episode {
  time first_arrival = never, last_arrival = 0, first_leaving = never, last_leaving = 0;
};

struct application_result {
  std::string name;
  time begun = 0, finished = 0;
  std::vector<episode> episodes;
  std::size_t barrier_bytes = 0;
  std::vector<int> placement;  // of its members when it began; empty: not bound
};

struct run_result {
  std::vector<application_result> applications;
  time end = 0;
  std::uint64_t accesses = 0, events = 0;
  double host_seconds = 0;
  std::vector<stretch> history;
};

/// An early leave, or a program that cannot finish.
struct broken_run : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An estimate of the memory that a run takes on this computer.
double bytes_needed(const scenario& s);

class simulation {
 public:
  /// Throws std::bad_alloc, std::invalid_argument.
  simulation(scenario s, std::uint64_t seed, bool history = false);
  ~simulation();

  /// Throws stuck, broken_run.
  run_result run();
  const engine& machine() const { return *engine_; }

 private:
  struct team_of;
  void live(team_of& team, unsigned member);
  void begin_region(team_of& team, unsigned member, std::uint32_t number);
  void meet(team_of& team, unsigned member, unsigned episode);

  const scenario scenario_;
  std::uint64_t seed_;
  bool history_;
  std::unique_ptr<engine> engine_;
  std::vector<std::unique_ptr<team_of>> teams_;
};

}  // namespace weir::simulator
