// pthread_once, and with it std::call_once: members that come while another thread runs the routine switch to others. The C
// library runs the routine, and keeps the state: 1 in its lowest two bits means that a thread has begun.
#include <pthread.h>

#include "threads/posix/waits.hpp"

namespace {

using namespace weir::threads;

bool has_begun(const pthread_once_t& once) {
  return (__atomic_load_n(&once, __ATOMIC_ACQUIRE) & 3) == 1;  // acquire: what the routine did, as after the C library's function
}
/// Found when the library is loaded: does the C library represent it so?
constinit bool is_known = false;
pthread_once_t example = PTHREAD_ONCE_INIT;

/// Also where the routine ends by an exception, or its thread is cancelled: then another thread begins.
struct end_of_routine {
  const pthread_once_t& once;
  ~end_of_routine() { notify(&once, all_waiters); }
};

}  // namespace

INTERPOSE(int, pthread_once, (pthread_once_t* once, void (*routine)())) {
  auto* const next = next_pthread_once.get();
  // A thread that loses the race to begin waits in the C library.
  if (!may_be_member()) return weir::with_type_of_program(next, once, routine);
  if (is_known && has_begun(*once) && !is_called_by_allocator(__builtin_return_address(0))) {
    constexpr int busy = 1;
    wait_while(busy, once, [once] { return has_begun(*once) ? busy : 0; });
  }
  const end_of_routine at_the_end{*once};
  return weir::with_type_of_program(next, once, routine);
}

namespace {
[[gnu::constructor]] void when_loaded() {
  static bool begun = false;
  const bool before = has_begun(example);
  next_pthread_once.get()(&example, [] { begun = has_begun(example); });
  is_known = begun && !before && !has_begun(example);
}
}  // namespace
