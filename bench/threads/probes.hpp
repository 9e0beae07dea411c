// The costs of threads of either kind, and how long their scheduler leaves them on a processor.
#pragma once

#include "../machine/floor.hpp"
#include "teams.hpp"

namespace bench {

/// One switch between two threads on a processor, each yielding.
cost switch_between(bool user_level, int processor);
/// How long a thread that computes keeps a processor that another wants, too.
cost quantum_of(bool user_level, int processor);

}  // namespace bench
