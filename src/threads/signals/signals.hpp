// Signals for one thread (signals.cpp).
#pragma once

#include "threads/scheduling/claimant.hpp"
#include "threads/signals/sender.hpp"

namespace weir::threads {

using left_signal = basic_sender<native_bodies>::left_signal;
/// The signal comes to the body, with what is known of its sender: as basic_sender::send().
int send(claimant& by, body& to, const siginfo_t& why, left_signal& left);
/// The information of a signal that the calling thread sends without a value.
siginfo_t signal_of_mine(int number);

}  // namespace weir::threads
