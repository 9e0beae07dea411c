#include "threads/preemption/cancelled.hpp"

#include <cerrno>

#include <pthread.h>

#include <weir/machine/gate.hpp>

#include "system/cancel_type.hpp"
#include "system/detached_thread.hpp"
#include "system/filter.hpp"
#include "threads/preemption/messages.hpp"
#include "threads/preemption/monitor.hpp"
#include "threads/scheduling/above.hpp"
#include "threads/scheduling/claimant.hpp"
#include "threads/scheduling/interrupted.hpp"
#include "threads/scheduling/pool.hpp"
#include "threads/scheduling/processor.hpp"
#include "threads/support/library_signals.hpp"

namespace weir::threads {

namespace {

void handle(int, siginfo_t* why, void* context);
constinit library_signal cancellation(32, handle);

/// The calling body, which a virtual processor drives, detaches. Nothing ends it on the way, in functions that nobody may unwind.
void detach_cancelled(body& me, const ucontext_t& in) {
  let_signals_in(in);
  me.cancel_state = PTHREAD_CANCEL_DISABLE;  // attach() asks the C library again
  detach_if_asked();
}

/// In a call that is a cancellation point the thread may be cancelled anywhere. pthread_setcancelstate() then ends it at once,
/// but without PTHREAD_CANCELED as its result (version 2.36).
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
  // The C library has sent it while the thread that drives could be cancelled anywhere. That one has come to Weir's code
  // meanwhile, so it cannot any more: it is marked, and ends when its code goes on.
  if (why->si_code != SI_QUEUE) return call_library_for_driver(cancellation, thread, why, context);
  auto& in = *static_cast<ucontext_t*>(context);
  const processor* const on = me->where();
  // The signal may have come late, to another body.
  if (on == nullptr || on->thread.load(std::memory_order_relaxed) != thread || on->current() != me || !me->is_asked_to_detach() ||
      me->held.load(std::memory_order_relaxed) != 0 || me->cancel_state != PTHREAD_CANCEL_ENABLE || !is_plain(*me, in) ||
      !is_at_system_call(in))
    return;
  const int before = errno;
  detach_cancelled(*me, in);
  return_with_present_stack(in);
  if (this_body == nullptr) {
    enable();
    why->si_code = SI_TKILL;  // the C library asks for that; the kernel lets no thread say so to another one
    cancellation.call_library(why, context);
  }
  repeat_interrupted(in);
  errno = before;
}

}  // namespace

void interpose_cancellation() { cancellation.interpose(); }

namespace {

// The thread that sees to the handler, by the kernel's number; `done`: it is installed.
constexpr pid_t nobody = 0, done = -1;
constinit std::atomic<pid_t> sees_to_handler{nobody};

/// The C library installs its handler when a thread is first cancelled. Here this is a thread of Weir's, which comes to no
/// cancellation point, so nothing else happens.
void make_library_install(int (*cancel)(pthread_t)) {
  static constinit std::atomic<std::uint32_t> begins, ends;
  static pthread_t thread;
  begins.store(0, std::memory_order_relaxed);  // relaxed, both: the thread is created afterwards
  ends.store(0, std::memory_order_relaxed);
  // release and acquire: the thread's name, and that it is not used any more.
  static constexpr auto tell = [](std::atomic<std::uint32_t>& of) {
    of.store(1, std::memory_order_release);
    futex_kernel::wake_sleepers(of);
  };
  static constexpr auto await = [](std::atomic<std::uint32_t>& of) {
    while (of.load(std::memory_order_acquire) == 0) futex_kernel::sleep_while(of, 0);
  };
  const auto run = [](void*) -> void* {
    thread = pthread_self();
    tell(begins);
    await(ends);
    return nullptr;
  };
  if (!start_service(run, nullptr)) return;
  await(begins);
  cancel(thread);
  tell(ends);
}

}  // namespace

void prepare_cancellation(int (*cancel)(pthread_t)) {
  if (last_processor() == nullptr) return;
  const auto here = static_cast<pid_t>(raw_call(SYS_gettid));
  // acquire and release: the handler that has been installed.
  for (pid_t by = sees_to_handler.load(std::memory_order_acquire); by != done;
       by = sees_to_handler.load(std::memory_order_acquire)) {
    if (by == here) return;  // in a handler of the program
    // In a child that was forked meanwhile nobody does.
    if (by != nobody && raw_call(SYS_tgkill, getpid(), by, 0) == 0) {
      yield_to_kernel();
    } else if (sees_to_handler.compare_exchange_strong(by, here, std::memory_order_acquire)) {
      make_library_install(cancel);
      const claimant by_itself;
      interpose_cancellation();
      sees_to_handler.store(done, std::memory_order_release);
    }
  }
}

void end_call_of_cancelled(processor& on) {
  if (!cancellation.stands() || !on.claim(on.switches())) return;
  const body& blocks = *on.current();
  const pid_t thread = on.thread.load(std::memory_order_relaxed);
  if (blocks.is_asked_to_detach() && blocks.parking != nullptr && is_in_system(thread, false)) {
    siginfo_t why{};
    why.si_signo = cancellation.number();
    why.si_code = SI_QUEUE;
    why.si_pid = getpid();
    if (filter::call<SYS_rt_tgsigqueueinfo>(getpid(), thread, cancellation.number(), as_argument(&why)) == 0)
      native_threads::fence_everywhere();  // it is handled before the body goes on
  }
  on.unclaim();
}

}  // namespace weir::threads
