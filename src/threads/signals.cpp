// Signals for one thread: they come to the body, wherever it runs.
//
// A body that runs gets its signal where it is, as any thread: on the kernel thread of its processor, whose queue is claimed
// meanwhile, so that the body is not stopped before the signal has come. One that does not run finds it when it goes on; if it
// sleeps, it is woken. One that blocks the signal finds it when it blocks it no more, or in its own kernel thread, where it asks
// for signals.
#include "threads/signals.hpp"

#include <csignal>

#include "threads/sleepers.hpp"

namespace weir::threads {

void body::summon(signal_mask signals) {
  // seq_cst: who has sent it looks afterwards whether the body runs.
  pending_.fetch_or(signals, std::memory_order_seq_cst);
  mask_.fetch_or(summons, std::memory_order_seq_cst);
}

void body::take_signals() {
  mask_.fetch_and(~summons, std::memory_order_seq_cst);
  // In a kernel thread of its own, those that it blocks may wait there.
  const signal_mask kept = is_pinned || where() == nullptr ? 0 : mask();
  const signal_mask taken = pending_.fetch_and(kept, std::memory_order_seq_cst) & ~kept;
  const long where_it_is = raw_call(SYS_gettid);
  for (int number = 1; number <= 64; ++number)
    if ((taken >> (number - 1) & 1) != 0) raw_call(SYS_tgkill, getpid(), where_it_is, number);
  // It has been noted for those that are kept, and will be again where the mask changes.
  if (pending_.load(std::memory_order_relaxed) != 0) mask_.fetch_or(summons, std::memory_order_relaxed);
}

bool send(claimant&, body& to, int number) {
  const signal_mask bit = signal_mask{1} << (number - 1);
  for (;;) {
    auto* const on = to.where();
    // Detached, or the body of a thread that drives nothing now.
    if (on == nullptr || !to.may(moves::to_stand_in)) return false;
    if ((to.mask() & bit) != 0) return to.summon(bit), true;
    if (on->current() != &to) {
      to.summon(bit);
      if (on->current() != &to) return wake_body(to), true;
      continue;  // it has begun to run meanwhile, and may have missed it: again
    }
    if (on->claim(on->switches())) {
      const bool same = on->current() == &to;
      if (same && raw_call(SYS_tgkill, getpid(), on->thread.load(std::memory_order_relaxed), number) == 0)
        native_threads::fence_everywhere();  // it is handled before the body goes on
      on->unclaim();
      if (same) return true;
    }
    yield_to_kernel();
  }
}

}  // namespace weir::threads
