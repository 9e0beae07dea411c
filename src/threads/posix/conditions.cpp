// Condition variables of POSIX threads.
//
// Members sleep on the condition's address, other threads in the C library's condition. A signal wakes a member if one sleeps,
// else it goes to the C library. A member that is about to sleep when something is signalled may return without a signal of its
// own, as POSIX allows.
#include <pthread.h>

#include "threads/posix/waits.hpp"
#include "threads/scheduling/claimant.hpp"

namespace {

using weir::threads::body;
using weir::threads::comes_to_sleep;
using weir::threads::event_count;
using weir::threads::may_be_member;
using weir::threads::next_event;
using weir::threads::released_by_c_library;
using weir::threads::sleep_on;
using weir::threads::table;
using weir::threads::this_body;
using weir::threads::time_limit;
using weir::threads::woken_by;

weir::threads::mark<pthread_cond_t> is_shared, is_monotonic;

event_count& events_of(const pthread_cond_t* c) { return weir::threads::all_of_conditions[weir::threads::place_of(c)]; }

// There is no change of the object that a fence would follow: the caller has changed what the condition is about, and a waiter
// has announced itself before it gave back the mutex under which that is done.
unsigned notify(const pthread_cond_t* c, unsigned most) {
  event_count& events = events_of(c);
  return events.has_waiters() ? weir::threads::notify_slowly(events, c, most, table::others) : 0;
}

pthread_cond_t* made(pthread_cond_t* at, auto set) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  set(&attributes);
  pthread_cond_init(at, &attributes);
  pthread_condattr_destroy(&attributes);
  return at;
}

[[gnu::constructor]] void when_loaded() {
  is_shared.find([](pthread_cond_t* at, bool it) {
    made(at, [it](pthread_condattr_t* a) { if (it) pthread_condattr_setpshared(a, PTHREAD_PROCESS_SHARED); });
  }, pthread_cond_destroy);
  is_monotonic.find([](pthread_cond_t* at, bool it) {
    made(at, [it](pthread_condattr_t* a) { if (it) pthread_condattr_setclock(a, CLOCK_MONOTONIC); });
  }, pthread_cond_destroy);
}

/// Nothing: the calling thread must wait by the C library.
std::optional<int> wait_for(pthread_cond_t* c, pthread_mutex_t* m, const void* caller, const time_limit* most = nullptr) {
  weir::threads::detach_if_asked();  // a cancellation point, also where the limit has passed
  if (!may_be_member(caller) || is_shared.is_in(c) || !comes_to_sleep()) return std::nullopt;
  if (most != nullptr && !most->is_valid()) return EINVAL;
  event_count& events = events_of(c);
  body& me = *this_body;
  me.forget_waker();
  const std::uint32_t seen = events.announce();
  if (const int error = pthread_mutex_unlock(m); error != 0) return events.retire(), error;
  bool late = false;
  {
    std::optional<weir::threads::deadline> limit;
    if (most != nullptr) limit.emplace(me, events, *most);
    if (most == nullptr || !most->has_passed()) sleep_on(next_event(events, seen, c, table::others));
    // A thread that signals while this body is announced, and not in the list, wakes nobody here, so the event counts as its
    // signal. One that its limit has taken off the list was there until then.
    if (most != nullptr && !me.was(woken_by::notification) && most->has_passed())
      late = me.was(woken_by::limit) || !limit->has_missed(seen);
  }
  events.retire();
  const int locked = pthread_mutex_lock(m);
  return locked != 0 ? locked : late ? ETIMEDOUT : 0;
}

}  // namespace

// Only so that all functions of a condition are of one version: a library that asks for none would get the C library's oldest of
// these two, which keeps another representation, and frees what it takes for a pointer.
INTERPOSE(int, pthread_cond_init, (pthread_cond_t * c, const pthread_condattr_t* how)) {
  return next_pthread_cond_init.get()(c, how);
}
INTERPOSE(int, pthread_cond_destroy, (pthread_cond_t* c)) { return next_pthread_cond_destroy.get()(c); }
INTERPOSE(int, pthread_cond_wait, (pthread_cond_t* c, pthread_mutex_t* m)) {
  const std::optional<int> waited = wait_for(c, m, __builtin_return_address(0));
  if (waited) return *waited;
  const released_by_c_library meanwhile(m);
  return weir::with_type_of_program(next_pthread_cond_wait.get(), c, m);
}
INTERPOSE(int, pthread_cond_timedwait, (pthread_cond_t* c, pthread_mutex_t* m, const timespec* until)) {
  const time_limit most{is_monotonic.is_in(c) ? CLOCK_MONOTONIC : CLOCK_REALTIME, *until};
  const std::optional<int> waited = wait_for(c, m, __builtin_return_address(0), &most);
  if (waited) return *waited;
  const released_by_c_library meanwhile(m);
  return weir::with_type_of_program(next_pthread_cond_timedwait.get(), c, m, until);
}
INTERPOSE(int, pthread_cond_clockwait, (pthread_cond_t* c, pthread_mutex_t* m, clockid_t clock, const timespec* until)) {
  const time_limit most{clock, *until};
  const bool known = time_limit::is_known(clock);
  const std::optional<int> waited = known ? wait_for(c, m, __builtin_return_address(0), &most) : std::nullopt;
  if (waited) return *waited;
  const released_by_c_library meanwhile(m);
  return weir::with_type_of_program(next_pthread_cond_clockwait.get(), c, m, clock, until);
}
INTERPOSE(int, pthread_cond_signal, (pthread_cond_t* c)) {
  return notify(c, 1) != 0 ? 0 : next_pthread_cond_signal.get()(c);
}
INTERPOSE(int, pthread_cond_broadcast, (pthread_cond_t* c)) {
  notify(c, weir::threads::all_waiters);
  return next_pthread_cond_broadcast.get()(c);
}
