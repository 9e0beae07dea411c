// How threads begin and end: creation, joins, exits, cancellation.
#include <cerrno>
#include <cstdint>

#include <pthread.h>
#include <sched.h>

#include <weir/machine/gate.hpp>

#include "system/cancel_type.hpp"
#include "system/detached_thread.hpp"
#include "threads/posix/joins.hpp"
#include "threads/posix/lives.hpp"
#include "threads/posix/waits.hpp"
#include "threads/program/census.hpp"
#include "threads/program/left_alone.hpp"
#include "threads/scheduling/above.hpp"
#include "threads/scheduling/claimant.hpp"
#include "threads/scheduling/own_state.hpp"
#include "threads/support/code.hpp"
#include "threads/support/thread_checkers.hpp"
#include "threads/threads.hpp"

namespace {

using weir::threads::all_may_become_members;
using weir::threads::is_called_by_allocator;
using weir::threads::this_body;
using weir::threads::time_limit;

constinit weir::threads::next_function<int(pthread_t, void**, const timespec*)> join_until("pthread_timedjoin_np");
void find_set_cancel_type();
[[gnu::constructor]] void when_loaded() {
  find_set_cancel_type();
  join_until.get();
  weir::threads::tell_those_who_join = [] {
    auto* const self = reinterpret_cast<void*>(pthread_self());
    weir::threads::notify(self, weir::threads::all_waiters);  // after the pool's lock was given back, an atomic update
  };
}

// Nothing is to be destroyed here, so a thread that may be cancelled anywhere may be cancelled after its last instruction, too.
[[gnu::noinline]] void* run(const weir::threads::beginning& does) {
  void* const result = does.run_by_c11 == nullptr
                           ? does.run(does.what)
                           : reinterpret_cast<void*>(std::intptr_t{does.run_by_c11(does.what)});  // as the C library
  weir::defer_cancellation_for_good();
  return result;
}
// pthread_exit() and cancellation unwind this frame, too.
template <bool InKernel>
void* begin(void* thread) {
  auto& known = *static_cast<weir::threads::program_thread*>(thread);
  const weir::threads::beginning does = beginning_of(known);
  weir::threads::creation::begins(does.creation);
  if (InKernel) weir::threads::keep_in_kernel();
  weir::threads::gives_own_state = does.gives_own_state;
  const weir::threads::life_of_thread me(known);
  return run(does);
}

/// A thread with a policy or an affinity of its own belongs to the kernel.
bool is_for_kernel(const pthread_attr_t* attributes) {
  if (attributes == nullptr) return false;
  int inherits = PTHREAD_INHERIT_SCHED, policy = SCHED_OTHER;
  pthread_attr_getinheritsched(attributes, &inherits);
  pthread_attr_getschedpolicy(attributes, &policy);
  if (inherits == PTHREAD_EXPLICIT_SCHED && policy != SCHED_OTHER) return true;
  // Without an affinity, all bits are set.
  cpu_set_t set;
  return pthread_attr_getaffinity_np(attributes, sizeof set, &set) != 0 || CPU_COUNT(&set) != CPU_SETSIZE;
}

std::size_t stack_bytes_by(const pthread_attr_t* attributes) {
  std::size_t bytes = 0;
  if (attributes == nullptr) return weir::threads::usual_stack_bytes();
  return pthread_attr_getstacksize(attributes, &bytes) == 0 ? bytes : 0;
}

}  // namespace

// The handlers of Weir that the C library calls meanwhile take locks.
INTERPOSE(pid_t, fork, ()) {
  weir::threads::detach_to_make_child();
  return next_fork.get()();
}

INTERPOSE(int, pthread_create, (pthread_t* to, const pthread_attr_t* attributes, void* (*run)(void*), void* what)) {
  const std::optional<int> error =
      weir::threads::create_thread(to, attributes, {.run = run, .what = what}, __builtin_return_address(0));
  if (error) return *error;
  return weir::threads::created_by([=] { return next_pthread_create.get()(to, attributes, run, what); }, *to);
}

namespace {
[[gnu::constructor]] void before_threads() {
  // ThreadSanitizer's functions must know every thread that calls them.
  if (!weir::threads::has_thread_checker()) weir::creates_service.store(next_pthread_create.get(), std::memory_order_relaxed);
  const auto create = reinterpret_cast<std::uintptr_t>(weir::threads::function_by_name("pthread_create"));
  weir::threads::begin_in_kernel =
      !weir::threads::object_with(reinterpret_cast<const void*>(&weir::threads::is_own_code)).has(create);
}
}  // namespace

std::optional<int> weir::threads::create_thread(pthread_t* to, const pthread_attr_t* attributes, beginning does,
                                                const void* caller) {
  weir::futex_kernel::ask_for_fences();
  // relaxed, both: only one of the threads that get here at the same time is to tell.
  if (tell_of_first_thread.load(std::memory_order_relaxed) != nullptr && !creates_for_weir && !is_called_by_allocator(caller))
      [[unlikely]]
    if (auto* const tell = tell_of_first_thread.exchange(nullptr, std::memory_order_relaxed)) tell();
  if (!all_may_become_members() || creates_for_weir || program_has_own_allocator() || is_called_by_allocator(caller))
    return std::nullopt;
  const auto* const code =
      does.run != nullptr ? reinterpret_cast<const void*>(does.run) : reinterpret_cast<const void*>(does.run_by_c11);
  const bool has_own = is_for_kernel(attributes);
  if (has_own) note_own_state();
  does.gives_own_state = gives_own_state;
  creation here;
  does.creation = here.ticket();
  does.stack_bytes = stack_bytes_by(attributes);
  const bool in_kernel = has_own || gives_own_state || has_own_scheduler() || is_of_driver(code);
  if (in_kernel) note_left_alone();
  expect_another();
  program_thread* const thread = expect_thread(does);
  if (thread == nullptr) return EAGAIN;
  const int error = next_pthread_create.get()(to, attributes, in_kernel ? begin<true> : begin<false>, thread);
  if (error != 0) return forget_thread(*thread), error;
  here.has_made(*to);
  attach_to_wait();  // it may spin until the new thread has done something
  return 0;
}

NEXT_FUNCTION(int, pthread_tryjoin_np, (pthread_t, void**))
namespace {
/// A member waits for the end of the thread's work. What follows is short, but for destructors.
template <class Next>
int join(Next next, pthread_t of, void** result, const void* caller, const time_limit* most = nullptr) {
  constexpr unsigned yields = 100;
  if (is_called_by_allocator(caller)) return next();
  weir::threads::detach_if_asked();  // a cancellation point, also where the limit has passed
  std::optional<weir::threads::joining> known;
  if (pthread_equal(of, pthread_self()) == 0 && known.emplace(of).error() != 0) return known->error();
  if (known && weir::threads::may_be_member() && (most == nullptr || most->is_valid())) {
    // Not pthread_tryjoin_np(), which says of a detached thread, too, that it has not ended.
    constexpr timespec past{0, 0};
    if (const int now = join_until.get()(of, result, &past); now != ETIMEDOUT) return now;
    const auto is_alive = [of] { return weir::threads::is_program_thread(of) ? EBUSY : 0; };
    const std::optional<int> waited = weir::threads::wait_while(EBUSY, reinterpret_cast<void*>(of), is_alive, most);
    if (waited == ETIMEDOUT) return ETIMEDOUT;
    for (unsigned i = 0; waited && i < yields && this_body != nullptr; ++i) {
      if (const int now = next_pthread_tryjoin_np.get()(of, result); now != EBUSY) return now;
      weir::scheduled_by->yield();
    }
  }
  weir::threads::leave_until_thread_ends();
  const weir::threads::without_ticks meanwhile;
  return next();
}
}  // namespace

INTERPOSE_WAITING(int, pthread_join, (pthread_t of, void** result)) {
  return join([=] { return next_pthread_join.get()(of, result); }, of, result, __builtin_return_address(0));
}
INTERPOSE_WAITING(int, pthread_timedjoin_np, (pthread_t of, void** result, const timespec* until)) {
  const auto next = [=] { return next_pthread_timedjoin_np.get()(of, result, until); };
  if (until == nullptr) return join(next, of, result, __builtin_return_address(0));
  const time_limit most{CLOCK_REALTIME, *until};
  return join(next, of, result, __builtin_return_address(0), &most);
}
INTERPOSE_WAITING(int, pthread_clockjoin_np, (pthread_t of, void** result, clockid_t clock, const timespec* until)) {
  const auto next = [=] { return next_pthread_clockjoin_np.get()(of, result, clock, until); };
  if (until == nullptr) return join(next, of, result, __builtin_return_address(0));
  if (!time_limit::is_known(clock)) return next();
  const time_limit most{clock, *until};
  return join(next, of, result, __builtin_return_address(0), &most);
}

INTERPOSE(void, pthread_exit, (void* result)) {
  weir::threads::end_program_thread();
  next_pthread_exit.get()(result);
  __builtin_unreachable();
}

// A cancellation is a signal for the kernel thread, where the member must be. An attached member has cancellation disabled
// (body.cpp), so its state is kept for the time when it is there again.
INTERPOSE(int, pthread_setcancelstate, (int to, int* before)) {
  auto* const own = weir::threads::own_body_of_thread();
  const bool is_valid = to == PTHREAD_CANCEL_ENABLE || to == PTHREAD_CANCEL_DISABLE;
  if (own == nullptr || this_body != own || !is_valid) return next_pthread_setcancelstate.get()(to, before);
  if (before != nullptr) *before = own->cancel_state;
  own->cancel_state = to;
  return 0;
}
namespace {
// A handler has interrupted Weir's code: the type is set when that ends.
int set_type_in_handler(int to, int* before) {
  if (to != PTHREAD_CANCEL_DEFERRED && to != PTHREAD_CANCEL_ASYNCHRONOUS) return EINVAL;
  using enum weir::cancelled;
  auto& type = weir::weir_is_cancelled;
  const weir::cancelled was =
      type.exchange(to == PTHREAD_CANCEL_DEFERRED ? at_points_from_now : at_points_meanwhile, std::memory_order_relaxed);
  if (before != nullptr) *before = was == at_points_meanwhile ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
  return 0;
}
void stay_in_kernel() {
  weir::threads::pin();
  if (weir::threads::own_body_of_thread() == nullptr && !weir::threads::is_in_child()) weir::threads::keep_in_kernel();
}
}  // namespace
// A thread that may be cancelled anywhere must be there at any time.
INTERPOSE_UNGUARDED(int, pthread_setcanceltype, (int to, int* before)) {
  using weir::cancelled;
  auto& type = weir::weir_is_cancelled;
  const cancelled was = type.load(std::memory_order_relaxed);
  if (weir::runs_weir(was)) return set_type_in_handler(to, before);
  if (to == PTHREAD_CANCEL_ASYNCHRONOUS) {
    if (was == cancelled::at_points) stay_in_kernel();
    type.store(cancelled::anywhere, std::memory_order_relaxed);
  }
  auto* const next = next_pthread_setcanceltype.get();
  const int result = next(to, before);
  if (to != PTHREAD_CANCEL_DEFERRED) return result;
  type.store(cancelled::at_points, std::memory_order_relaxed);
  next(to, nullptr);  // a handler may have come before the store
  return result;
}
namespace {
void find_set_cancel_type() { weir::set_cancel_type = next_pthread_setcanceltype.get(); }
}  // namespace
INTERPOSE_WAITING(void, pthread_testcancel, ()) {
  weir::threads::detach_if_asked();
  next_pthread_testcancel.get()();
}
INTERPOSE(int, pthread_cancel, (pthread_t of)) {
  weir::threads::prepare_cancellation(next_pthread_cancel.get());
  weir::threads::joining::note_cancelled(of);
  const int result = next_pthread_cancel.get()(of);
  if (pthread_equal(of, pthread_self()) != 0) {
    weir::threads::pin();
  } else {
    weir::threads::claimant by;
    by.ask_to_detach(of);
  }
  return result;
}
