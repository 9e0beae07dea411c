// Signals for one thread (signals.cpp).
#pragma once

#include "threads/scheduling/claimant.hpp"

namespace weir::threads {

/// The signal comes to the body, with what is known of its sender. Returns 0, or an error: EAGAIN, where too many wait; or send_again.
/// Then the body is held just now, and perhaps because it waits for the caller's claim: the caller ends the claim, finds the body
/// again, and calls again with the same `is_left`, which is false at first.
int send(claimant& by, body& to, const siginfo_t& why, bool& is_left);
inline constexpr int send_again = -2;
/// The information of a signal that the calling thread sends without a value.
siginfo_t signal_of_mine(int number);

}  // namespace weir::threads
