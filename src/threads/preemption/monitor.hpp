// The monitor: a thread that looks whether processors come to their ready bodies, as Go's does [its runtime's proc.go, "sysmon"].
//
// A body that blocks in the system keeps the kernel thread, and the other bodies go on at a stand-in, so no system call is
// interrupted for them. A body that computes keeps the kernel thread for a time slice; then the others go on at a stand-in, too,
// and the kernel divides the processor. A body that spins on a variable of another body would keep both waiting: a signal, the
// tick, makes it yield (messages.hpp). Only speed depends on ticks.
//
// A look costs the monitor two switches of the kernel. The monitor looks at each processor twice in quick succession, to see
// whether the same body runs, and then at growing distances. Once bodies were found to block or to spin, the next looks come
// soon.
#pragma once

#include <cstdint>
#include <optional>

#include <sys/types.h>

#include "system/run_delay.hpp"
#include "threads/scheduling/above.hpp"

namespace weir::threads {

/// For the monitor: is the kernel thread in a system call, or does it wait for a page? The file says "running" if the thread runs
/// or is ready to run [proc(5)].
bool is_in_system(pid_t thread, bool where_not_told);
/// How long it has run, and has been kept from running.
std::optional<run_times> times_of(pid_t thread);

}  // namespace weir::threads
