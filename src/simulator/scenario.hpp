// A scenario: a machine, an operating system, applications; and the points of a sweep over them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model.hpp"
#include "program.hpp"
#include "scheduler.hpp"

namespace weir::simulator {

struct scenario {
  machine_model machine;
  std::string machine_file;
  schedule system;
  std::vector<application> applications;
  time limit = never;
};

/// The values of a sweep for one point, key by key, as the file writes them.
using chosen = std::vector<std::pair<std::string, std::string>>;

class scenario_file {
 public:
  /// Machines are looked for beside the scenario, then in `machines`. Throws bad_file.
  scenario_file(std::string path, std::string machines);

  std::size_t points() const { return points_; }
  unsigned seeds() const { return seeds_; }
  std::uint64_t first_seed() const { return first_seed_; }
  const std::string& about() const { return about_; }
  chosen choice(std::size_t point) const;

  /// Throws bad_file: the file, line, key and what was expected.
  scenario at(std::size_t point) const;

 private:
  std::vector<std::size_t> indices(std::size_t point) const;

  std::string path_, machines_, about_;
  std::vector<std::pair<std::string, std::size_t>> axes_;
  std::size_t points_ = 1;
  unsigned seeds_ = 1;
  std::uint64_t first_seed_ = 1;
};

}  // namespace weir::simulator
