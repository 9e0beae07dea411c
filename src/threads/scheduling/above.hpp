// What this room asks of the rooms above it, which define these functions. Where a claimant is to call, it is the one of
// claimant.hpp.
#pragma once

#include <atomic>
#include <cstdint>

#include "threads/scheduling/body.hpp"

namespace weir::threads {

// ---- of the monitor (preemption/monitor.hpp)

/// The caller does not hold the lock of the lists.
void start_monitor();
/// The calling thread is a claimant.
void stop_monitor();
/// In the child of a fork.
void forget_monitor();
/// What a sleep and a wake-up in the kernel have lately cost the monitor, in nanoseconds: how long it pays to poll instead.
/// Thread-safe.
std::uint64_t price_of_sleep_ns();
/// A body sleeps until this time, in nanoseconds by CLOCK_MONOTONIC, at the latest: the monitor looks then. Thread-safe.
void wake_monitor_at(std::uint64_t time_ns);
/// The monitor looks again, because a member has been cancelled.
void wake_monitor();
/// False: the system has refused the monitor's thread.
bool monitor_can_run();

// ---- of signals: those of the process (signals/process_signals.hpp), and the two that the C library keeps for itself

/// The caller does not hold the lock of the lists.
void start_signal_thread();
/// Or the system has refused it: nobody starts it now.
bool signal_thread_is_there();
/// The calling thread is a claimant.
void stop_signal_thread();
/// In the child of a fork.
void forget_signal_thread();

/// The signals for which the signal thread does not wait; none: there is no signal thread.
extern constinit std::atomic<signal_mask> not_awaited;
void await_also(signal_mask signals);
/// Called by a thread that the program has created, or by the first thread, when its body is attached or unblocks signals: the
/// signal thread waits for them from now on.
inline void await_signals_for(const body& b) {
  std::atomic_thread_fence(std::memory_order_seq_cst);  // the signal thread looks at the masks after it has changed not_awaited
  const signal_mask missing = ~b.mask() & not_awaited.load(std::memory_order_relaxed);
  if (missing != 0 && b.is_adopted) [[unlikely]] await_also(missing);
}

/// Called by a claimant, when a member has been cancelled.
void interpose_cancellation();
/// Before the first thread is cancelled, by `cancel`, the C library's pthread_cancel(): from then on Weir's handler comes first
/// (preemption/cancelled.cpp). The C library's would find another thread's body. A process without processors has none.
/// Thread-safe.
void prepare_cancellation(int (*cancel)(pthread_t));
/// To be called by a claimant, after the first thread has been created: the C library's handler is then installed
/// (signals/set_id.cpp).
void interpose_set_id();

}  // namespace weir::threads
