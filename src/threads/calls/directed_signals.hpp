// Signals for one thread, by its number or its pthread_t.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace weir::threads {

/// Returns an error, or 0; -1: it is no signal for another member, and the caller proceeds as without members.
int send_to_member(pid_t thread, const siginfo_t& why);
int send_to_member(pthread_t thread, const siginfo_t& why);
/// For a signal that the calling thread sends to itself: the number of the kernel thread where it gets the signal.
pid_t where_i_get(int number);

}  // namespace weir::threads
