// Signals for one thread: they come to the body, wherever it runs.
//
// A running body gets the signal where it runs, like any thread: on the kernel thread of its processor. The processor's queue is
// claimed meanwhile, so that the body does not stop before the signal has come. A body that does not run finds the signal when it
// goes on; a sleeping body is woken. A body that blocks the signal finds it when it unblocks the signal, or in its own kernel
// thread, when it asks for signals there.
#include "threads/signals/signals.hpp"

#include <cerrno>
#include <csignal>
#include <utility>

#include "threads/scheduling/sleepers.hpp"

namespace weir::threads {

void body::summon_for(signal_mask signals) {
  // seq_cst: the sender looks afterwards whether the body runs.
  pending_.fetch_or(signals, std::memory_order_seq_cst);
  mask_.fetch_or(summons, std::memory_order_seq_cst);
}
bool body::summon(const siginfo_t& why) {
  if (!queued_.add(why)) return false;
  summon_for(signal_mask{1} << (why.si_signo - 1));
  return true;
}
bool body::withdraw(const siginfo_t& why) { return queued_.withdraw(why); }
void body::forget_signals() {
  // relaxed: there is no other thread.
  pending_.store(0, std::memory_order_relaxed);
  mask_.fetch_and(~summons, std::memory_order_relaxed);
  queued_.take(0, [](const siginfo_t&) {});
}
void body::call_home() { summon_for(home_call); }
void body::call_home_for_a_while() { summon_for(short_call); }

namespace {

/// What the kernel says of signals for the process, a thread may say to itself only [rt_tgsigqueueinfo(2)]. To another thread such a
/// signal comes as if this process had sent it.
int send_to_thread(pid_t thread, const siginfo_t& why) {
  const bool with_why = why.si_code != SI_TKILL && (why.si_code < 0 || thread == raw_call(SYS_gettid));
  return static_cast<int>(-(with_why ? raw_call(SYS_rt_tgsigqueueinfo, getpid(), thread, why.si_signo, as_argument(&why))
                                     : raw_call(SYS_tgkill, getpid(), thread, why.si_signo)));
}

/// Does the program handle the signal without asking for calls to be restarted?
bool ends_calls(int number) {
  struct sigaction its {};
  return sigaction(number, nullptr, &its) == 0 && its.sa_handler != SIG_DFL && its.sa_handler != SIG_IGN &&
         (its.sa_flags & SA_RESTART) == 0;
}

/// Sends the signal to the body of a thread that drives nothing now. If the thread begins to drive, no other body runs there
/// before the signal is handled. False: the thread has begun to drive.
bool send_to_idle(body& to, const siginfo_t& why, int& error) {
  processor& its = *to.home();
  its.ask_for_claim();
  native_threads::fence_everywhere();
  const bool idle = !to.may(moves::to_stand_in);
  if (idle) {
    error = send_to_thread(to.id, why);
    native_threads::fence_everywhere();
  }
  its.unclaim();
  return idle;
}

}  // namespace

void body::take_signals() {
  mask_.fetch_and(~summons, std::memory_order_seq_cst);
  // If the body is in its own kernel thread, signals that it blocks may be pending there.
  const signal_mask kept = is_pinned || where() == nullptr ? 0 : mask();
  const signal_mask calls = home_call | short_call;
  if ((pending_.fetch_and(kept | calls, std::memory_order_seq_cst) & ~(kept | calls)) != 0) {
    // All signals are sent before the first is handled, because its handler may never return.
    exchange_mask(all_signals);
    const auto where_it_is = static_cast<pid_t>(raw_call(SYS_gettid));
    queued_.take(kept, [this, where_it_is](const siginfo_t& why) {
      if (ends_calls(why.si_signo)) ++interrupted;
      send_to_thread(where_it_is, why);
    });
    exchange_mask(mask());
  }
  if (is_called_home()) {
    pin();
    // release: from now on this kernel thread is the body's alone, for the thread that changes its state.
    pending_.fetch_and(~home_call, std::memory_order_release);
  }
  if ((pending_.fetch_and(~short_call, std::memory_order_relaxed) & short_call) != 0) pin_for_a_while();
  // The summons stays noted for signals that are kept; they are looked at again when the mask changes.
  if (pending_.load(std::memory_order_relaxed) != 0) mask_.fetch_or(summons, std::memory_order_relaxed);
}

siginfo_t signal_of_mine(int number) {
  siginfo_t why{};
  why.si_signo = number;
  why.si_code = SI_TKILL;
  why.si_pid = getpid();
  why.si_uid = getuid();
  return why;
}

int send(claimant&, body& to, const siginfo_t& why, bool& is_left) {
  if (std::exchange(is_left, false) && !to.withdraw(why)) return 0;
  const signal_mask bit = signal_mask{1} << (why.si_signo - 1);
  int error = 0;
  for (;;) {
    auto* const on = to.where();
    if (on == nullptr) return send_to_thread(to.id, why);  // before it is attached (body.cpp)
    if (!to.may(moves::to_stand_in)) {
      if (send_to_idle(to, why, error)) return error;
      continue;
    }
    if ((to.mask() & bit) != 0) return to.summon(why) ? 0 : EAGAIN;
    if (on->current() != &to) {
      if (!to.summon(why)) return EAGAIN;
      native_threads::fence_everywhere();  // as in processor::switch_to()
      if (on->current() != &to) return wake_body(to), 0;
      if (!to.withdraw(why)) return 0;
      continue;  // the body has begun to run meanwhile, and may have missed the signal: again
    }
    if (on->claim(on->switches())) {
      const bool runs = on->current() == &to;
      if (runs) {
        error = send_to_thread(on->thread.load(std::memory_order_relaxed), why);
        native_threads::fence_everywhere();  // it is handled before the body goes on
      }
      on->unclaim();
      if (runs) return error;
    }
    // A body that yields in a loop is held whenever it lets this thread run, and takes the signal itself.
    is_left = to.summon(why);
    return send_again;
  }
}

}  // namespace weir::threads
