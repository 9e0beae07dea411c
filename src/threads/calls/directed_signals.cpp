// Signals that a thread sends to one thread, or that it waits for (signals.cpp says how they come to a body).
#include "threads/calls/directed_signals.hpp"

#include <cerrno>

#include <pthread.h>
#include <signal.h>

#include "threads/calls/kernel_state.hpp"
#include "threads/posix/interpose.hpp"
#include "threads/scheduling/claimant.hpp"
#include "threads/signals/signals.hpp"

namespace weir::threads {

namespace {
bool has(signal_mask mask, int number) { return number > 0 && number <= 64 && (mask >> (number - 1) & 1) != 0; }
/// Not the C library's own, which look for a thread in its own kernel thread, nor those that concern the whole process.
bool is_for_members(int number) { return has(all_signals, number); }
/// Is a signal blocked that a member sends to itself? Such a signal is pending where the member runs, and must be found there.
bool is_blocked(int number) { return this_body != nullptr && has(this_body->mask(), number); }

template <class Thread>
int send_to(Thread thread, const siginfo_t& why) {
  if (!is_for_members(why.si_signo) || is_me(thread)) return -1;
  left_signal left;
  for (;;) {
    {
      claimant by;
      body* const to = by.receiver_of(thread);
      if (to == nullptr) return left ? 0 : -1;
      if (const int error = send(by, *to, why, left); error != send_again) return error;
    }
    yield_to_kernel();
  }
}
}  // namespace

int send_to_member(pid_t thread, const siginfo_t& why) { return send_to(thread, why); }
int send_to_member(pthread_t thread, const siginfo_t& why) { return send_to(thread, why); }

pid_t where_i_get(int number) {
  pin_if(is_blocked(number));
  return static_cast<pid_t>(raw_call(SYS_gettid));
}

}  // namespace weir::threads

namespace {

using weir::threads::as_result;
using weir::threads::is_blocked;
using weir::threads::is_for_members;
using weir::threads::is_me;
using weir::threads::pin_if;
using weir::threads::send_to_member;
using weir::threads::signal_of_mine;
using weir::threads::this_body;
using weir::threads::where_i_get;
using weir::threads::without_ticks;

siginfo_t signal_with_value(int number, sigval with) {
  siginfo_t why = signal_of_mine(number);
  why.si_code = SI_QUEUE;
  why.si_value = with;
  return why;
}

}  // namespace

WAITS_IN_THREAD(int, raise, (int number), is_blocked(number), (number))
INTERPOSE(int, pthread_kill, (pthread_t t, int number)) {
  if (is_me(t))
    pin_if(is_blocked(number));
  else if (const int error = send_to_member(t, signal_of_mine(number)); error >= 0)
    return error;
  return next_pthread_kill.get()(t, number);
}
// The C library sends the signal to the thread's own number, even if a virtual processor drives the thread.
INTERPOSE(int, pthread_sigqueue, (pthread_t t, int number, const sigval with)) {
  const siginfo_t why = signal_with_value(number, with);
  if (!is_me(t)) {
    const int error = send_to_member(t, why);
    return error >= 0 ? error : next_pthread_sigqueue.get()(t, number, with);
  }
  if (this_body == nullptr || !is_for_members(number)) return next_pthread_sigqueue.get()(t, number, with);
  return static_cast<int>(-weir::raw_call(SYS_rt_tgsigqueueinfo, getpid(), where_i_get(number), number, weir::as_argument(&why)));
}
INTERPOSE(int, tgkill, (pid_t group, pid_t t, int number)) {
  if (group == getpid() && t > 0) {
    if (is_me(t))
      t = where_i_get(number);
    else if (const int error = send_to_member(t, signal_of_mine(number)); error >= 0)
      return as_result(error);
  }
  return next_tgkill.get()(group, t, number);
}
// Signals for this thread alone wait for its own kernel thread.
WAITS_IN_THREAD(int, sigwait, (const sigset_t* of, int* which), true, (of, which))
WAITS_IN_THREAD(int, sigwaitinfo, (const sigset_t* of, siginfo_t* to), true, (of, to))
WAITS_IN_THREAD(int, sigtimedwait, (const sigset_t* of, siginfo_t* to, const timespec* most), true, (of, to, most))
CHANGES_THREAD(int, sigpending, (sigset_t* to), true, (to))
CHANGES_THREAD(int, signalfd, (int f, const sigset_t* of, int how), true, (f, of, how))
#define PAUSES(name)                               \
  INTERPOSE_WAITING(int, name, (int which)) {      \
    weir::threads::pin();                          \
    auto* const next = next_##name.get();          \
    const without_ticks meanwhile;                 \
    return next(which);                            \
  }
PAUSES(sigpause)
PAUSES(__xpg_sigpause)
