// The monitor: a thread that looks whether processors come to their ready bodies, as Go's does [its runtime's proc.go, "sysmon"].
//
// A body that blocks in the system keeps its kernel thread, and the others go on at a stand-in: so no system call is interrupted
// for them. A body that computes keeps it for a time slice; then the others go on at a stand-in, too, and the kernel divides the
// processor. A body that spins, on a variable of another body's, would keep both waiting: a signal, a tick, asks it to yield
// (tick.hpp). Nothing but speed depends on ticks.
//
// A look takes the monitor two switches of the kernel. Each processor is looked at twice in a short time, whether the same body
// runs; then ever later. Where bodies were found to block or to spin, the next looks come soon.
#pragma once

#include <sys/types.h>

namespace weir::threads {

/// The calling thread is a claimant (pool.hpp).
void start_monitor();
void stop_monitor();
/// In the child of a fork.
void forget_monitor();
/// By the monitor: is the kernel thread in a call of the system's, or waits for a page? "running": it runs, or would [proc(5)].
bool is_in_system(pid_t thread, bool where_not_told);
/// Null thread: the system has refused it.
bool monitor_can_watch();

}  // namespace weir::threads
