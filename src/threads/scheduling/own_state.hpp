// What a thread has of its own in the kernel, and inherits from the thread that creates it: policy, nice value, affinity, and the priority of
// its input and output.
//
// A thread that gets one by a function of the C library is left to the kernel (calls/kernel_state.hpp). The threads that it creates then
// begin with what it has, and so do virtual processors: from the first such change on, each thread is compared before it takes a seat.
#pragma once

#include <sys/types.h>

namespace weir::threads {

/// Called before a thread of the program gets one. Thread-safe.
void note_own_state();
/// Has one got any, so that the program's threads may differ? Thread-safe.
bool some_have_own_state();
/// Has the calling thread what this virtual processor has, which runs only where the thread may run? Async-signal-safe.
bool is_as_processor(pid_t processor);

}  // namespace weir::threads
