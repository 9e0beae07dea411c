// setuid and similar functions, which the C library executes in all threads by a signal of its own.
//
// The handler of the C library marks the thread that the thread pointer names. On the kernel thread of a virtual processor, the
// thread pointer names a body, whose own kernel thread gets the signal, too. The virtual processor's thread would therefore never
// be marked, and the caller would wait for ever. So Weir's handler runs before the C library's, and meanwhile sets the kernel
// thread's own thread pointer.
#include "threads/scheduling/above.hpp"
#include "threads/scheduling/pool.hpp"
#include "threads/support/library_signals.hpp"

namespace weir::threads {

namespace {

void handle(int number, siginfo_t* why, void* context);
constinit library_signal signal_of_change(33, handle);

// handle() must not find its data by the thread pointer while the thread pointer is another thread's.
[[gnu::noinline]] void handle_as(void* own, void* of_body, siginfo_t* why, void* context) {
  set_thread_pointer(own);
  signal_of_change.call_library(why, context);
  set_thread_pointer(of_body);
}

void handle(int, siginfo_t* why, void* context) {
  body* const me = this_body;
  const auto thread = static_cast<pid_t>(raw_call(SYS_gettid));
  // The thread pointer is this thread's own, or the kernel thread does not belong to any body.
  if (me == nullptr || me->id == thread) return signal_of_change.call_library(why, context);
  if (processor* const drives = driven_by(thread)) handle_as(drives->own().thread_pointer, me->thread_pointer, why, context);
}

}  // namespace

void interpose_set_id() { signal_of_change.interpose(); }

}  // namespace weir::threads
