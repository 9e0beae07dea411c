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

bool body::withdraw(signal_mask signals) {
  return (pending_.fetch_and(~signals, std::memory_order_seq_cst) & signals) != 0;
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

namespace {

bool send_to_thread(pid_t thread, int number) { return raw_call(SYS_tgkill, getpid(), thread, number) == 0; }

/// To the body of a thread that drives nothing now. If it begins to, no other body runs there before the signal is handled.
/// False: it has begun.
bool send_to_idle(body& to, int number) {
  processor& its = *to.home();
  its.ask_for_claim();
  native_threads::fence_everywhere();
  const bool idle = !to.may(moves::to_stand_in);
  if (idle) {
    send_to_thread(to.id, number);
    native_threads::fence_everywhere();
  }
  its.unclaim();
  return idle;
}

}  // namespace

bool send(claimant&, body& to, int number) {
  const signal_mask bit = signal_mask{1} << (number - 1);
  for (;;) {
    auto* const on = to.where();
    if (on == nullptr) return send_to_thread(to.id, number);  // before it is attached (body.cpp)
    if (!to.may(moves::to_stand_in)) {
      if (send_to_idle(to, number)) return true;
      continue;
    }
    if ((to.mask() & bit) != 0) return to.summon(bit), true;
    if (on->current() != &to) {
      to.summon(bit);
      if (on->current() != &to) return wake_body(to), true;
      if (!to.withdraw(bit)) return true;
      continue;  // it has begun to run meanwhile, and may have missed it: again
    }
    if (on->claim(on->switches())) {
      const bool sent = on->current() == &to && send_to_thread(on->thread.load(std::memory_order_relaxed), number);
      if (sent) native_threads::fence_everywhere();  // it is handled before the body goes on
      on->unclaim();
      if (sent) return true;
    }
    yield_to_kernel();
  }
}

}  // namespace weir::threads
