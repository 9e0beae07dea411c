// Mutexes and spin locks of POSIX threads.
#include <linux/futex.h>
#include <pthread.h>
#include <unistd.h>

#include <weir/machine/native.hpp>

#include "system/fork_page.hpp"
#include "threads/posix/waits.hpp"
#include "threads/scheduling/hand_off.hpp"
#include "threads/support/thread_checkers.hpp"

namespace {

using weir::threads::attach_to_wait;
using weir::threads::may_be_member;
using weir::threads::time_limit;

}  // namespace

namespace {
bool is_left_to_kernel(const pthread_mutex_t* m);
}
INTERPOSE(int, pthread_mutex_trylock, (pthread_mutex_t* m)) {
  if (is_left_to_kernel(m) && may_be_member(__builtin_return_address(0))) [[unlikely]] weir::threads::pin_as_all();
  return next_pthread_mutex_trylock.get()(m);
}

namespace {

/// A mutex of the usual kind in the C library's representation, which its header shows: a word with the states of "Futexes are
/// tricky" [Drepper, mutex 2], the owner's number, and a count of owners. To call the C library's function from here would double
/// the price of a mutex that nobody waits for.
class usual_mutex {
 public:
  explicit usual_mutex(pthread_mutex_t* m) : its_(m->__data) {}
  /// Called when the library is loaded: does the C library represent it so, and does nobody else need to see it?
  static void look() {
    if (weir::threads::has_thread_checker()) return;
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    const auto is = [&m](int lock, int owner, unsigned users) {
      return m.__data.__lock == lock && m.__data.__owner == owner && m.__data.__nusers == users && m.__data.__kind == kind;
    };
    constinit static weir::threads::next_function<int(pthread_mutex_t*)> lock("pthread_mutex_lock"),
        unlock("pthread_mutex_unlock");
    const bool is_free = is(free, 0, 0);
    lock.get()(&m);
    const bool is_taken = is(taken, gettid(), 1);
    unlock.get()(&m);
    is_known = is_free && is_taken && is(free, 0, 0);
    pthread_mutex_destroy(&m);
  }
  // relaxed: whoever finds it taken tries again after a fence, or sleeps.
  bool is_taken() const { return std::atomic_ref(its_.__lock).load(std::memory_order_relaxed) != free; }
  bool is_usual() const { return its_.__kind == kind && is_known; }
  /// The mutex's first word.
  const std::atomic<std::uint32_t>& word() const {
    static_assert(offsetof(__pthread_mutex_s, __lock) == 0);
    return reinterpret_cast<const std::atomic<std::uint32_t>&>(its_.__lock);
  }
  static bool is_taken(std::uint32_t word) { return word != free; }
  bool try_lock() {
    int expected = free;
    // acquire: what was done under it.
    if (!std::atomic_ref(its_.__lock).compare_exchange_strong(expected, taken, std::memory_order_acquire)) return false;
    if (my_number == 0) [[unlikely]] my_number = number_of_thread();
    its_.__owner = my_number;
    ++its_.__nusers;
    return true;
  }
  void unlock() {
    its_.__owner = 0;
    --its_.__nusers;
    // release: what was done under it. Whatever else than "taken" the C library has written says that somebody waits.
    if (std::atomic_ref(its_.__lock).exchange(free, std::memory_order_release) != taken) [[unlikely]]
      weir::raw_call(SYS_futex, weir::as_argument(&its_.__lock), FUTEX_WAKE_PRIVATE, 1);
  }
  /// In the child of a fork.
  WEIR_RUN_BY_FORKS static void forget() { my_number = 0; }

 private:
  static int number_of_thread() {
    const weir::threads::body* const own = weir::threads::own_body_of_thread();
    return own != nullptr ? own->id : gettid();
  }
  static constexpr int kind = PTHREAD_MUTEX_TIMED_NP, free = 0, taken = 1;
  static constinit bool is_known;
  static constinit thread_local int my_number;
  __pthread_mutex_s& its_;
};
constinit bool usual_mutex::is_known = false;
constinit thread_local int usual_mutex::my_number = 0;

/// The kinds of mutexes of which the kernel must know the owner or the waiters: robust ones, those with a protocol, and those
/// shared between processes. Bits of a mutex's kind, found by making such mutexes.
constinit int left_to_kernel = 0;

int kind_with(auto set) {
  pthread_mutexattr_t attributes;
  pthread_mutex_t m;
  pthread_mutexattr_init(&attributes);
  set(&attributes);
  pthread_mutex_init(&m, &attributes);
  const int kind = m.__data.__kind;
  pthread_mutex_destroy(&m);
  pthread_mutexattr_destroy(&attributes);
  return kind;
}

constinit weir::threads::next_function<int(pthread_mutexattr_t*, int)> set_protocol("pthread_mutexattr_setprotocol");

[[gnu::constructor]] void when_loaded() {
  usual_mutex::look();
  pthread_atfork(nullptr, nullptr, usual_mutex::forget);
  const int usual = kind_with([](pthread_mutexattr_t*) {});
  left_to_kernel = usual ^ (kind_with([](pthread_mutexattr_t* a) { pthread_mutexattr_setpshared(a, PTHREAD_PROCESS_SHARED); }) |
                            kind_with([](pthread_mutexattr_t* a) { pthread_mutexattr_setrobust(a, PTHREAD_MUTEX_ROBUST); }) |
                            kind_with([](pthread_mutexattr_t* a) { set_protocol.get()(a, PTHREAD_PRIO_INHERIT); }) |
                            kind_with([](pthread_mutexattr_t* a) { set_protocol.get()(a, PTHREAD_PRIO_PROTECT); }));
}

/// Is the mutex, which is taken, one whose owner might be told to wait for itself?
bool is_error_checking(const pthread_mutex_t* m) {
  constexpr int kinds = 3;
  return (m->__data.__kind & kinds) == PTHREAD_MUTEX_ERRORCHECK_NP;
}

// Before anything else: the C library's pthread_mutex_trylock() takes a robust mutex that is not recoverable, though it says that
// it does not (version 2.36).
bool is_left_to_kernel(const pthread_mutex_t* m) { return (m->__data.__kind & left_to_kernel) != 0; }

// A member that has not waited since there is an inheriting mutex, or becomes one at that moment, has not been asked to leave its
// processor: the kernel would take the processor's thread for the owner, and refuse to unlock.
template <class Next>
int lock_by_kernel(Next next) {
  weir::threads::pin_as_all();
  return next();
}

/// Without an update of one that is taken.
int try_lock(pthread_mutex_t* m) {
  usual_mutex mutex(m);
  if (!mutex.is_usual()) return next_pthread_mutex_trylock.get()(m);
  return !mutex.is_taken() && mutex.try_lock() ? 0 : EBUSY;
}

/// The mutex is taken. Nothing: the C library's function waits for it.
std::optional<int> wait_for(pthread_mutex_t* m, const time_limit* most = nullptr) {
  if (is_error_checking(m)) return std::nullopt;
  constexpr int left = -1;
  const auto& released = weir::threads::released_by_c_library::how_many(m);
  const auto once = [m, &released] {
    const int now = try_lock(m);
    // relaxed: the member has announced itself, with a fence, or looks again when it has.
    return now == EBUSY && released.load(std::memory_order_relaxed) != 0 ? left : now;
  };
  const usual_mutex mutex(m);
  const std::optional<int> waited =
      mutex.is_usual() && most == nullptr
          ? weir::threads::wait_while_word(
                EBUSY, mutex.word(), [](std::uint32_t now) { return usual_mutex::is_taken(now); }, once, &released)
          : weir::threads::wait_while(EBUSY, m, once, most);
  if (waited != left) return waited;
  if (!weir::threads::detach_to_block()) weir::threads::hand_off_to_block();
  return std::nullopt;
}

template <class Next>
int lock_until(Next next, pthread_mutex_t* m, clockid_t clock, const timespec* until, const void* caller) {
  if (!may_be_member(caller)) return next();
  if (is_left_to_kernel(m)) return lock_by_kernel(next);
  const int now = next_pthread_mutex_trylock.get()(m);
  if (now != EBUSY) return now;
  const time_limit most{clock, *until};
  if (!most.is_valid()) return EINVAL;
  const std::optional<int> waited = wait_for(m, &most);
  return waited ? *waited : next();
}

int lock_slowly(pthread_mutex_t* m, const void* caller);

}  // namespace

INTERPOSE_WAITING(int, pthread_mutex_lock, (pthread_mutex_t* m)) {
  usual_mutex mutex(m);
  if (mutex.is_usual() && mutex.try_lock()) [[likely]] return 0;
  return lock_slowly(m, __builtin_return_address(0));
}

namespace {
[[gnu::noinline]] int lock_slowly(pthread_mutex_t* m, const void* caller) {
  if (!may_be_member(caller)) return next_pthread_mutex_lock.get()(m);
  if (is_left_to_kernel(m)) return lock_by_kernel([m] { return next_pthread_mutex_lock.get()(m); });
  const int now = try_lock(m);
  if (now != EBUSY) return now;
  const std::optional<int> waited = wait_for(m);
  return waited ? *waited : next_pthread_mutex_lock.get()(m);
}
}  // namespace

INTERPOSE(int, pthread_mutex_unlock, (pthread_mutex_t* m)) {
  int result = 0;
  if (usual_mutex mutex(m); mutex.is_usual()) [[likely]]
    mutex.unlock();
  else
    result = next_pthread_mutex_unlock.get()(m);
  weir::threads::notify(m);
  return result;
}

INTERPOSE_WAITING(int, pthread_mutex_timedlock, (pthread_mutex_t* m, const timespec* until)) {
  return lock_until([=] { return next_pthread_mutex_timedlock.get()(m, until); }, m, CLOCK_REALTIME, until,
                    __builtin_return_address(0));
}
INTERPOSE_WAITING(int, pthread_mutex_clocklock, (pthread_mutex_t* m, clockid_t clock, const timespec* until)) {
  const auto next = [=] { return next_pthread_mutex_clocklock.get()(m, clock, until); };
  return time_limit::is_known(clock) ? lock_until(next, m, clock, until, __builtin_return_address(0)) : next();
}

// The C library's spin lock polls without an end, though its owner may be a member of the same processor.
INTERPOSE_WAITING(int, pthread_spin_lock, (pthread_spinlock_t* l)) {
  constexpr unsigned polls = 64;
  if (!may_be_member(__builtin_return_address(0))) return next_pthread_spin_lock.get()(l);
  for (;;) {
    for (unsigned i = 0; i < polls; ++i) {
      const int now = pthread_spin_trylock(l);
      if (now != EBUSY) return now;
      weir::native::pause();
    }
    if (attach_to_wait()) weir::scheduled_by->yield();
    else weir::yield_to_kernel();
  }
}
