// What a thread has of its own in the kernel, and inherits from the thread that creates it: policy, nice value, affinity, and the priority of
// its input and output.
//
// A thread that gets one by a function of the C library is left to the kernel (calls/kernel_state.hpp). The threads that it creates then
// begin with what it has, and virtual processors would, too: from the first such change on, each thread is compared before its first seat with
// what all had until then.
#pragma once

namespace weir::threads {

/// Called before a thread of the program gets one, by a thread that has none if it is the first time. Thread-safe.
void note_own_state();
/// Has one got any, so that the program's threads may differ? Thread-safe.
bool some_have_own_state();
/// Has the calling thread what all had before that? Async-signal-safe.
bool is_as_others();

}  // namespace weir::threads
