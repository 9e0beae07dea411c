// sched_yield of the program and its libraries. OpenBLAS and others wait for other threads in a loop that calls it. The kernel
// cannot switch between members that share a virtual processor: its sched_yield would return at once, until the monitor looks.
#include <sched.h>

#include "threads/posix/waits.hpp"
#include "threads/scheduling/kept_threads.hpp"
#include "threads/scheduling/processor.hpp"
#include "threads/support/floating_point.hpp"

namespace {
// Where threads are kept in the kernel, the processor decides when (kept_threads.hpp).
// A yield to other members takes some 30 ns, and one to the system 1.5 us. C++'s library yields four times before a thread
// sleeps.
constexpr unsigned between_system_yields = 8;
constinit thread_local unsigned yields = 0;
}  // namespace

INTERPOSE(int, sched_yield, ()) {
  weir::threads::note_yield();
  if (!weir::threads::may_be_member(__builtin_return_address(0)) ||
      (weir::scheduled_by == nullptr && !weir::threads::attach_to_wait())) {
    weir::yield_to_kernel();
  } else if (weir::threads::is_in_child_on_other_stack()) {
    // The parent, with the same memory, may go to or from a processor just now.
    weir::yield_to_kernel();
  } else if (weir::threads::this_body != nullptr && weir::threads::threads_kept_in_kernel.are_any()) {
    const weir::threads::floating_point_kept of_program;
    weir::threads::processor::yield_beside_kept();
  } else if (++yields % between_system_yields == 0) {
    const weir::threads::floating_point_kept of_program;  // it computes how long it has waited
    weir::scheduled_by->yield();
  } else {
    weir::scheduled_by->switch_to_another();
  }
  return 0;
}
