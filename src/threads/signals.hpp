// Signals for one thread (signals.cpp).
#pragma once

#include "threads/pool.hpp"

namespace weir::threads {

/// The signal comes to the body. False: its own kernel thread is where it runs.
bool send(claimant& by, body& to, int number);

}  // namespace weir::threads
