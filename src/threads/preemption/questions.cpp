#include "threads/preemption/questions.hpp"

#include <span>

#include "threads/preemption/monitor.hpp"
#include "threads/preemption/tick.hpp"
#include "threads/scheduling/body.hpp"
#include "threads/support/native_threads.hpp"

namespace weir::threads {

// The first fence is for all announcements: after it, no call begins until is_asked is zero. After the second, the signals have
// been handled by those that run; others handle theirs before they run on.
void questions::ask(const void* what) {
  const std::span asked(bodies_.data(), count_);
  if (asked.empty()) return;
  for (body* const b : asked) b->is_asked.store(1, std::memory_order_relaxed);  // relaxed: the fence orders it
  bool sent = false;
  if (native_threads::fence_everywhere())
    // A thread that has blocked the signal since add() would find it pending, and take it in sigwait(). Whether a handler of the
    // program blocks it is not known. System calls that do not go through the C library's functions are not announced.
    for (body* const b : asked)
      sent |= !b->is_calling() && !b->blocks(tick_signal) && !is_in_system(b->id, true) && send_tick_signal(b->id, what);
  if (sent) native_threads::fence_everywhere();
  // release: the signal has been sent.
  for (body* const b : asked) b->is_asked.store(0, std::memory_order_release);
}

}  // namespace weir::threads
