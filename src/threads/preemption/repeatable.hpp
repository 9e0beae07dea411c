// Calls of the system that a thread may make again, perhaps another thread, when a signal has interrupted them.
#pragma once

#include <cstdint>
#include <optional>

#include <sys/types.h>
#include <ucontext.h>

namespace weir::threads {

/// A call in which a thread is blocked, with the first of its arguments.
struct blocked_call {
  long number = 0;
  unsigned long arguments[5] = {};
};

/// From what the kernel says in /proc/PID/task/TID/syscall [proc(5)]; nothing: the thread runs, or waits for a page.
std::optional<blocked_call> blocked_call_of(const char* said);

/// Does a second call find what the first would have found? Not if a part may be done already, or if the kernel counts a time
/// limit from the beginning of the call. Two exceptions: the time limits of poll() and of epoll_wait(), and of sockets, begin
/// again.
bool may_be_repeated(const blocked_call& its);
/// Is it a sleep, which nobody but a signal ends early?
bool only_sleeps(const blocked_call& its);

/// In the handler of the signal that has interrupted the call: if the call would fail for this reason, the thread makes it again
/// when the handler returns. The system does this itself for some calls [signal(7), SA_RESTART].
void repeat_interrupted(ucontext_t& in, long number);
/// The same for a signal that was sent to a thread that ran, and that has found it in a call which nobody has announced: a call
/// that had just begun. So a time limit may begin again.
void repeat_interrupted(ucontext_t& in);
/// The number of the system call at this place, if the code before it loads a constant, as the functions of the C library do
/// until version 2.40. For repeat_interrupted(): the kernel does not tell handlers. x86-64.
std::optional<long> number_of_call_at(std::uintptr_t call);

}  // namespace weir::threads
