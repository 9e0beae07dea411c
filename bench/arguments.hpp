// The command line that all measuring programs share.
#pragma once

#include <string>
#include <vector>

#include "protocol.hpp"

namespace bench {

struct arguments {
  std::string verb;  // list, serve, busy
  serving serve;
  int processor = -1;  // of busy
};

/// Throws std::invalid_argument with what was wrong and how it is used.
arguments parse(const std::vector<std::string>& words);

}  // namespace bench
