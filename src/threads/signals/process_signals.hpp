// Signals for the process, while its threads are parked.
//
// The kernel gives such a signal to any thread that does not block it. The kernel threads of bodies that sleep block all signals,
// and so do idle processors. If no other thread were left, nobody would get the signal, not even one that ends the process. A
// thread of Weir, the signal thread, therefore waits for the signals that members do not block. It passes them on to the first
// thread, or to another member that does not block them.
#pragma once

#include <signal.h>

#include "threads/scheduling/above.hpp"

namespace weir::threads {

/// Called in a handler, by a kernel thread that is no thread of the program and runs no body, with all signals blocked: the
/// signal thread passes the signal on. False: there is no signal thread, or too many signals wait for it.
bool gives_to_signal_thread(processor& idle, const siginfo_t& why);
/// False: the system has refused the signal thread.
bool signals_are_awaited();

}  // namespace weir::threads
