// sched_yield of the program and its libraries. OpenBLAS and others wait for the other members of a team in a loop of it. Members that
// share a virtual processor are not the kernel's to choose from: it would return at once, until the monitor looks.
#include <sched.h>

#include "machine/scheduling.hpp"

extern "C" int sched_yield() noexcept {
  if (const weir::scheduling* const by = weir::scheduled_by)
    by->yield();
  else
    weir::yield_to_kernel();
  return 0;
}
