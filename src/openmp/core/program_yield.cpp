// sched_yield of the program and its libraries. OpenBLAS and others wait for other members of a team in a loop that calls it. The
// kernel cannot switch between members that share a virtual processor: its sched_yield would return at once, until the monitor
// looks.
#include <sched.h>

#include "machine/scheduling.hpp"

extern "C" int sched_yield() noexcept {
  if (const weir::scheduling* const by = weir::scheduled_by)
    by->yield();
  else
    weir::yield_to_kernel();
  return 0;
}
