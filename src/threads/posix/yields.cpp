// sched_yield of the program and its libraries. OpenBLAS and others wait for other threads in a loop that calls it. The kernel
// cannot switch between members that share a virtual processor: its sched_yield would return at once, until the monitor looks.
#include <sched.h>

#include "threads/posix/waits.hpp"

extern "C" int sched_yield() noexcept {
  if (weir::threads::may_be_member() && (weir::scheduled_by != nullptr || weir::threads::comes_to_wait()))
    weir::scheduled_by->yield();
  else
    weir::yield_to_kernel();
  return 0;
}
