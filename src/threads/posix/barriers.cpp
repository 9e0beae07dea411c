// Barriers of POSIX threads. The C library's barrier has no function that does not wait, so this one takes its place, for members
// and for other threads; a barrier that is shared between processes stays the C library's.
#include <pthread.h>
#include <sched.h>

#include <new>

#include "threads/posix/waits.hpp"
#include "threads/support/native_threads.hpp"
#include "threads/support/thread_checkers.hpp"

namespace {

/// In the memory of a pthread_barrier_t. More threads than members may use it: those that come too early belong to a later
/// episode.
struct barrier {
  static constexpr std::uint64_t ours = 0x7765697262617272, one_episode = std::uint64_t{1} << 32;
  std::atomic<std::uint64_t> arrived;  // the number of closed episodes, and in the lower half of those that wait for this one
  std::uint32_t members;
  std::atomic<std::uint32_t> released;  // how many episodes have been, in any order
  std::atomic<std::uint32_t> inside;    // of those that have arrived, and have not returned yet
  std::atomic<std::uint32_t> asleep;    // in the kernel
  std::uint64_t mark;

  bool has_mark() const { return mark == ours; }

  /// The episode to which the caller belongs; nothing: it has closed it.
  std::optional<std::uint32_t> arrive() {
    std::uint64_t before = arrived.load(std::memory_order_relaxed), after;
    bool closes;
    do {
      const std::uint64_t episode = before & ~(one_episode - 1);
      closes = (before & (one_episode - 1)) + 1 == members;
      after = closes ? episode + one_episode : before + 1;
      // acq_rel: what all have done before, for the last one and, by the release, for all.
    } while (!arrived.compare_exchange_weak(before, after, std::memory_order_acq_rel, std::memory_order_relaxed));
    if (closes) return std::nullopt;
    return static_cast<std::uint32_t>(before >> 32);
  }
  /// An episode that is released early has been closed, too, since they are closed in order.
  bool is_released(std::uint32_t episode) const {
    return static_cast<std::int32_t>(released.load(std::memory_order_acquire) - episode) > 0;
  }
  int arrive_and_wait(const void* caller) {
    inside.fetch_add(1, std::memory_order_relaxed);  // relaxed: the arrival orders it before the release
    const std::optional<std::uint32_t> episode = arrive();
    if (!episode) {
      released.fetch_add(1, std::memory_order_release);  // release: what all have done before, of this episode and earlier ones
      std::atomic_thread_fence(std::memory_order_seq_cst);  // either a sleeper sees the release, or this thread sees the sleeper
      if (asleep.load(std::memory_order_relaxed) != 0) weir::threads::native_threads::wake(released);
      weir::threads::notify(this, weir::threads::all_waiters);
    } else if (const auto closed = [&] { return is_released(*episode) ? 0 : EBUSY; };
               !weir::threads::may_be_member(caller) || !weir::threads::wait_while(EBUSY, this, closed)) {
      sleep_until_released(*episode);
    }
    inside.fetch_sub(1, std::memory_order_release);  // release: for await_last(), this thread needs no more of it
    return episode ? 0 : PTHREAD_BARRIER_SERIAL_THREAD;
  }
  void sleep_until_released(std::uint32_t episode) {
    asleep.fetch_add(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);  // either this thread sees the release, or the last one sees it asleep
    for (;;) {
      const std::uint32_t now = released.load(std::memory_order_acquire);
      if (is_released(episode)) break;
      weir::with_type_of_program(sleep_while, &released, now);
    }
    asleep.fetch_sub(1, std::memory_order_relaxed);
  }
  static void sleep_while(const std::atomic<std::uint32_t>* word, std::uint32_t value) {
    weir::threads::futex_wait(*word, value);
  }
  void await_last() {
    while (inside.load(std::memory_order_acquire) != 0) sched_yield();
  }
};
static_assert(sizeof(barrier) <= sizeof(pthread_barrier_t));

barrier& as_ours(pthread_barrier_t* b) { return *reinterpret_cast<barrier*>(b); }

}  // namespace

INTERPOSE(int, pthread_barrier_init, (pthread_barrier_t* b, const pthread_barrierattr_t* how, unsigned members)) {
  int shared = PTHREAD_PROCESS_PRIVATE;
  if (how != nullptr) pthread_barrierattr_getpshared(how, &shared);
  as_ours(b).mark = 0;
  const int result = next_pthread_barrier_init.get()(b, how, members);
  if (result == 0 && shared == PTHREAD_PROCESS_PRIVATE && !weir::threads::has_thread_checker())
    new (b) barrier{0, members, 0, 0, 0, barrier::ours};
  return result;
}
INTERPOSE(int, pthread_barrier_wait, (pthread_barrier_t* b)) {
  return as_ours(b).has_mark() ? as_ours(b).arrive_and_wait(__builtin_return_address(0))
                               : weir::with_type_of_program(next_pthread_barrier_wait.get(), b);
}
INTERPOSE(int, pthread_barrier_destroy, (pthread_barrier_t* b)) {
  if (!as_ours(b).has_mark()) return next_pthread_barrier_destroy.get()(b);
  as_ours(b).await_last();
  as_ours(b).mark = 0;
  return 0;
}
