// The command line of weir-mpi-measure-NAME.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clocks.hpp"

namespace bench::mpi {

struct arguments {
  bool help = false;
  unsigned threads = 1;
  std::vector<std::string> subjects;
  std::vector<std::string> methods;  ///< round-time, consecutive; empty: the one that suits the placement
  std::string level = "funneled";    ///< the thread level with which MPI is initialised
  unsigned samples = 10;
  double sample_ms = 1;    ///< how long a sample should last; four times as long if processors are shared
  double series_ms = 500;  ///< the time after which a series stops with fewer samples; four times as long below three samples
  unsigned seed = 1;
  std::string output;  ///< a file; empty: standard output
  pretence pretended;
};

extern const char* const usage;  ///< begins with a new line

/// Throws std::invalid_argument with the error and the usage.
arguments parse(const std::vector<std::string>& words);

}  // namespace bench::mpi
