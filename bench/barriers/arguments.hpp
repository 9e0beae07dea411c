// The command line that all measuring programs share.
#pragma once

#include <string>
#include <vector>

#include "protocol.hpp"

namespace bench {

struct arguments {
  std::string verb;  // list, serve, check, busy, --help
  serving serve;
  int processor = -1;           // for busy
  bool within_session = false;  // for busy
  std::string library;             // a library with the user's barrier: it alone is listed, served or checked
  std::string levels;           // a plan by levels, which is listed and served beside the other barriers
};

extern const char* const usage;  ///< begins with a new line

/// Throws std::invalid_argument with the error and the usage.
arguments parse(const std::vector<std::string>& words);

/// The value of an option that takes processors of the affinity mask, with commas between. Throws std::invalid_argument.
std::vector<int> processors_in(const std::string& option, const std::string& value);
/// The same for times of samples. In milliseconds.
double sample_time_in(const std::string& option, const std::string& value);

}  // namespace bench
