// Signals for one thread (signals.cpp).
#pragma once

#include "threads/pool.hpp"

namespace weir::threads {

/// The signal comes to the body, with what is known of its sender. Returns 0, or an error: EAGAIN, where too many wait.
int send(claimant& by, body& to, const siginfo_t& why);
/// The information of a signal that the calling thread sends without a value.
siginfo_t signal_of_mine(int number);

}  // namespace weir::threads
