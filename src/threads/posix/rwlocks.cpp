// Read-write locks of POSIX threads.
//
// A member that waits tries again after each release, so it gets the lock as the C library's default kind gives it: readers may
// pass a writer. Locks that prefer writers are left to the C library.
#include <pthread.h>

#include "threads/posix/waits.hpp"

namespace {

using weir::threads::may_be_member;
using weir::threads::time_limit;

weir::threads::mark<pthread_rwlock_t> is_shared;

[[gnu::constructor]] void when_loaded() {
  is_shared.find([](pthread_rwlock_t* at, bool it) {
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    if (it) pthread_rwlockattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_rwlock_init(at, &attributes);
    pthread_rwlockattr_destroy(&attributes);
  }, pthread_rwlock_destroy);
}

/// Nothing: the C library's function waits, or tells the owner that it would wait for itself.
std::optional<int> lock(pthread_rwlock_t* l, int (*try_once)(pthread_rwlock_t*), const void* caller,
                        const time_limit* most = nullptr) {
  if (!may_be_member(caller)) return std::nullopt;
  if (most != nullptr && !most->is_valid()) return EINVAL;  // also of a lock that is free, as the C library does
  const int now = try_once(l);
  if (now != EBUSY) return now;
  if (is_shared.is_in(l) || l->__data.__flags != PTHREAD_RWLOCK_PREFER_READER_NP || l->__data.__cur_writer == gettid())
    return std::nullopt;
  return weir::threads::wait_while(EBUSY, l, [=] { return try_once(l); }, most);
}

}  // namespace

#define LOCKS(name, timed, clocked, tries)                                                                       \
  INTERPOSE_WAITING(int, name, (pthread_rwlock_t * l)) {                                                         \
    const std::optional<int> waited = lock(l, tries, __builtin_return_address(0));                               \
    return waited ? *waited : next_##name.get()(l);                                                              \
  }                                                                                                              \
  INTERPOSE_WAITING(int, timed, (pthread_rwlock_t * l, const timespec* until)) {                                 \
    const time_limit most{CLOCK_REALTIME, *until};                                                               \
    const std::optional<int> waited = lock(l, tries, __builtin_return_address(0), &most);                        \
    return waited ? *waited : next_##timed.get()(l, until);                                                      \
  }                                                                                                              \
  INTERPOSE_WAITING(int, clocked, (pthread_rwlock_t * l, clockid_t clock, const timespec* until)) {              \
    const time_limit most{clock, *until};                                                                        \
    const bool known = time_limit::is_known(clock);                                                              \
    const std::optional<int> waited = known ? lock(l, tries, __builtin_return_address(0), &most) : std::nullopt; \
    return waited ? *waited : next_##clocked.get()(l, clock, until);                                             \
  }
LOCKS(pthread_rwlock_rdlock, pthread_rwlock_timedrdlock, pthread_rwlock_clockrdlock, pthread_rwlock_tryrdlock)
LOCKS(pthread_rwlock_wrlock, pthread_rwlock_timedwrlock, pthread_rwlock_clockwrlock, pthread_rwlock_trywrlock)
#undef LOCKS

INTERPOSE(int, pthread_rwlock_unlock, (pthread_rwlock_t* l)) {
  const int result = next_pthread_rwlock_unlock.get()(l);
  weir::threads::notify(l, weir::threads::all_waiters);  // readers share it
  return result;
}
