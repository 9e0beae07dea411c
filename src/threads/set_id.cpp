#include "threads/set_id.hpp"

#include <signal.h>

#include "threads/pool.hpp"

namespace weir::threads {

namespace {

constexpr int signal_number = 33;  // of the C library's; its sigaction() refuses it

/// The structure as the kernel expects it.
struct kernel_sigaction {
  void (*handler)(int, siginfo_t*, void*);
  unsigned long flags;
#if defined(__x86_64__)
  void (*restorer)();
#endif
  signal_mask mask;
};
constinit kernel_sigaction of_library{};

// handle() must not find its data by the thread pointer while the thread pointer is another thread's.
[[gnu::noinline]] void handle_as(void* own, void* bodys, int number, siginfo_t* why, void* context) {
  set_thread_pointer(own);
  of_library.handler(number, why, context);
  set_thread_pointer(bodys);
}

void handle(int number, siginfo_t* why, void* context) {
  body* const me = this_body;
  const auto thread = static_cast<pid_t>(raw_call(SYS_gettid));
  // The thread pointer is this thread's own, or the kernel thread does not belong to any body.
  if (me == nullptr || me->id == thread) return of_library.handler(number, why, context);
  if (processor* const drives = driven_by(thread))
    handle_as(drives->own().thread_pointer, me->thread_pointer, number, why, context);
}

}  // namespace

void stand_before_set_id() {
  if (of_library.handler != nullptr) return;
  kernel_sigaction now{};
  if (raw_call(SYS_rt_sigaction, signal_number, 0, as_argument(&now), sizeof now.mask) != 0 || now.handler == nullptr) return;
  of_library = now;
  now.handler = handle;
  raw_call(SYS_rt_sigaction, signal_number, as_argument(&now), 0, sizeof now.mask);
}

}  // namespace weir::threads
