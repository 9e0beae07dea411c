// What a thread has of its own in the kernel, and inherits from the thread that creates it.
//
// A thread that gets something by a function of the C library is left to the kernel (calls/kernel_state.hpp). The threads that it
// creates then begin with what it has, and virtual processors would, too.
//
// Policy, nice value, affinity, and the priority of input and output may be set by others: from the first such change on, each
// thread is compared before its first seat with what all had until then. What only the thread itself can change is not compared,
// since no system call tells most of it: credentials, capabilities, filters of system calls, namespaces, timer slack, memory
// policy, protection keys. The thread notes the change (`gives_own_state`, in the face), and so do those that it creates.
#pragma once

namespace weir::threads {

/// Called before a thread of the program gets one, by a thread that has none if it is the first time. Thread-safe.
void note_own_state();
/// Has one got any, so that the program's threads may differ? Thread-safe.
bool some_have_own_state();
/// Has the calling thread what all had before that? Async-signal-safe.
bool is_as_others();
// passes_on_own_state(): in the face.

}  // namespace weir::threads
