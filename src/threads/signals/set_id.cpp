// setuid and similar functions, which the C library executes in all threads by a signal of its own.
//
// The handler of the C library marks the thread that the thread pointer names. On the kernel thread of a virtual processor, the
// thread pointer names a body, whose own kernel thread gets the signal, too. The virtual processor's thread would therefore never
// be marked, and the caller would wait for ever. So Weir's handler runs before the C library's.
#include "threads/scheduling/above.hpp"
#include "threads/scheduling/pool.hpp"
#include "threads/support/library_signals.hpp"

namespace weir::threads {

namespace {

void handle(int number, siginfo_t* why, void* context);
constinit library_signal signal_of_change(33, handle);

void handle(int, siginfo_t* why, void* context) {
  body* const me = this_body;
  const auto thread = static_cast<pid_t>(raw_call(SYS_gettid));
  // The thread pointer is this thread's own, or the kernel thread does not belong to any body.
  if (me == nullptr || me->id == thread) return signal_of_change.call_library(why, context);
  call_library_for_driver(signal_of_change, thread, why, context);
}

}  // namespace

void interpose_set_id() { signal_of_change.interpose(); }

}  // namespace weir::threads
