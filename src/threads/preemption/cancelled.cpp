#include "threads/preemption/cancelled.hpp"

#include <cerrno>

#include <pthread.h>

#include "machine/cancel_type.hpp"
#include "machine/filter.hpp"
#include "threads/preemption/monitor.hpp"
#include "threads/preemption/repeatable.hpp"
#include "threads/preemption/tick.hpp"
#include "threads/scheduling/above.hpp"
#include "threads/scheduling/claimant.hpp"
#include "threads/scheduling/interrupted.hpp"
#include "threads/scheduling/processor.hpp"
#include "threads/support/library_signals.hpp"

namespace weir::threads {

namespace {

void handle(int, siginfo_t* why, void* context);
constinit library_signal cancellation(32, handle);

/// The calling body, which a virtual processor drives, detaches. Nothing ends it on the way, in functions that nobody may unwind.
void detach_cancelled(body& me) {
  let_cancellation_in();
  const int state = me.cancel_state;
  me.cancel_state = PTHREAD_CANCEL_DISABLE;
  detach_if_asked();
  me.cancel_state = state;
}

/// In a call that is a cancellation point the thread may be cancelled anywhere. pthread_setcancelstate() then ends it at once, but
/// without PTHREAD_CANCELED as its result (version 2.36).
void enable() {
  int type = PTHREAD_CANCEL_DEFERRED;
  set_cancel_type(PTHREAD_CANCEL_DEFERRED, &type);
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr);
  set_cancel_type(type, nullptr);
}

// The C library's handler unwinds this frame if it ends the thread.
void handle(int, siginfo_t* why, void* context) {
  body* const me = this_body;
  const auto thread = static_cast<pid_t>(raw_call(SYS_gettid));
  if (me == nullptr || me->id == thread) return cancellation.call_library(why, context);
  auto& in = *static_cast<ucontext_t*>(context);
  const processor* const on = me->where();
  // The signal may have come late, to another body.
  if (on == nullptr || on->thread.load(std::memory_order_relaxed) != thread || on->current() != me || !me->is_asked_to_detach() ||
      me->held.load(std::memory_order_relaxed) != 0 || me->cancel_state != PTHREAD_CANCEL_ENABLE || !is_plain(*me, in) ||
      !is_at_system_call(in))
    return;
  const int before = errno;
  const int call = why->si_errno;  // the handler's argument lies on the stack of the body, and moves with it
  detach_cancelled(*me);
  return_with_present_stack(in);
  if (this_body == nullptr) {
    enable();
    why->si_code = SI_TKILL;  // the C library asks for that; the kernel lets no thread say so to another one
    cancellation.call_library(why, context);
  }
  if (call >= 0) repeat_interrupted(in, call);
  errno = before;
}

}  // namespace

void interpose_cancellation() { cancellation.interpose(); }

void end_call_of_cancelled(processor& on) {
  if (!cancellation.stands() || !on.claim(on.switches())) return;
  const body& blocks = *on.current();
  const pid_t thread = on.thread.load(std::memory_order_relaxed);
  if (blocks.is_asked_to_detach() && blocks.parking != nullptr && is_in_system(thread, false)) {
    const auto call = call_of(thread);
    siginfo_t why{};
    why.si_signo = cancellation.number();
    why.si_errno = call && may_be_repeated(*call) ? static_cast<int>(call->number) : -1;
    why.si_code = SI_QUEUE;
    why.si_pid = getpid();
    if (filter::call<SYS_rt_tgsigqueueinfo>(getpid(), thread, cancellation.number(), as_argument(&why)) == 0)
      native_threads::fence_everywhere();  // it is handled before the body goes on
  }
  on.unclaim();
}

}  // namespace weir::threads
