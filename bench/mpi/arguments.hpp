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
  std::vector<std::string> methods;  ///< round-time, consecutive; none: whichever suits
  std::string level = "funneled";    ///< of threads that MPI is begun with
  unsigned samples = 10;
  double sample_ms = 1;    ///< how long a sample should last; where processors are shared, four times as long
  double series_ms = 500;  ///< what a series may take, before it stops with fewer samples (four times as long, for three)
  unsigned seed = 1;
  std::string output;  ///< a file; empty: standard output
  pretence pretended;
};

extern const char* const usage;  ///< begins with a new line

/// Throws std::invalid_argument with what was wrong and how it is used.
arguments parse(const std::vector<std::string>& words);

}  // namespace bench::mpi
