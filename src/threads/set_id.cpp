#include "threads/set_id.hpp"

#include "threads/library_signals.hpp"
#include "threads/pool.hpp"

namespace weir::threads {

namespace {

void handle(int number, siginfo_t* why, void* context);
constinit library_signal signal_of_change(33, handle);

// handle() must not find its data by the thread pointer while the thread pointer is another thread's.
[[gnu::noinline]] void handle_as(void* own, void* bodys, siginfo_t* why, void* context) {
  set_thread_pointer(own);
  signal_of_change.call_library(why, context);
  set_thread_pointer(bodys);
}

void handle(int, siginfo_t* why, void* context) {
  body* const me = this_body;
  const auto thread = static_cast<pid_t>(raw_call(SYS_gettid));
  // The thread pointer is this thread's own, or the kernel thread does not belong to any body.
  if (me == nullptr || me->id == thread) return signal_of_change.call_library(why, context);
  if (processor* const drives = driven_by(thread)) handle_as(drives->own().thread_pointer, me->thread_pointer, why, context);
}

}  // namespace

void stand_before_set_id() { signal_of_change.stand_before(); }

}  // namespace weir::threads
