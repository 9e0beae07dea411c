// Where the threads of a measurement run.
#pragma once

#include <cstring>
#include <stdexcept>
#include <string>

#include <weir/machine/processors.hpp>

namespace bench {

/// Binds the calling thread to one processor. Throws std::runtime_error where the system refuses, and says why.
inline void bind_to(int processor) {
  if (const int why = weir::run_on({processor}); why != 0)
    throw std::runtime_error("cannot run on processor " + std::to_string(processor) + ": " + std::strerror(why));
}

}  // namespace bench
