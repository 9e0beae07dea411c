// Signals for the process, while its threads are parked.
//
// The kernel gives such a signal to any thread that does not block it. The kernel threads of bodies that sleep block all signals,
// and so do idle processors. If no other thread were left, nobody would get the signal, not even one that ends the process. A
// thread of Weir, the taker, therefore waits for the signals that members do not block. It passes them on to the first thread, or
// to another member that does not block them.
#pragma once

#include <atomic>

#include <signal.h>

#include "threads/body.hpp"

namespace weir::threads {

/// The calling thread is a claimant (pool.hpp), or the only thread.
void start_taker();
void stop_taker();
/// In the child of a fork.
void forget_taker();
/// Called in a handler, by a kernel thread that is no thread of the program and runs no body, with all signals blocked: the taker
/// passes the signal on. False: there is no taker, or too many signals wait for it.
bool gives_to_taker(processor& mine, const siginfo_t& why);
/// False: the system has refused the taker's thread.
bool signals_are_taken();

/// The signals for which the taker does not wait; none: there is no taker.
extern constinit std::atomic<signal_mask> not_taken;
void take_slowly(signal_mask signals);
/// Called by a thread that the program has created, or by the first thread, when its body is attached or unblocks signals: the taker
/// waits for them from now on.
inline void take_signals_for(const body& b) {
  std::atomic_thread_fence(std::memory_order_seq_cst);  // the taker looks at the masks after it has changed not_taken
  const signal_mask missing = ~b.mask() & not_taken.load(std::memory_order_relaxed);
  if (missing != 0 && b.is_adopted) [[unlikely]] take_slowly(missing);
}

}  // namespace weir::threads
