// Barriers of POSIX threads. The C library's barrier has no function that does not wait, so this one takes its place, for members
// and for other threads; a barrier that is shared between processes stays the C library's.
#include <pthread.h>
#include <sched.h>

#include <new>

#include "threads/native_threads.hpp"
#include "threads/posix/waits.hpp"

namespace {

/// In the memory of a pthread_barrier_t.
struct barrier {
  static constexpr std::uint64_t ours = 0x7765697262617272;
  std::uint32_t members;
  std::atomic<std::uint32_t> missing;  // of this episode
  std::atomic<std::uint32_t> episode;
  std::atomic<std::uint32_t> inside;  // of those that have arrived, and have not returned yet
  std::atomic<std::uint32_t> asleep;  // in the kernel
  std::uint64_t mark;

  bool has_mark() const { return mark == ours; }

  int arrive_and_wait() {
    // relaxed: it cannot change before the caller arrives.
    const std::uint32_t mine = episode.load(std::memory_order_relaxed);
    inside.fetch_add(1, std::memory_order_relaxed);  // relaxed: the arrival orders it before the release
    // acq_rel: what all have done before, for the last one and, by the release, for all.
    if (missing.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      missing.store(members, std::memory_order_relaxed);  // relaxed: the release orders it
      episode.store(mine + 1, std::memory_order_release);
      std::atomic_thread_fence(std::memory_order_seq_cst);  // either a sleeper sees the release, or notify() sees the sleeper
      if (asleep.load(std::memory_order_relaxed) != 0) weir::threads::native_threads::wake(episode);
      weir::threads::notify(this, weir::threads::all_waiters);
      leave();
      return PTHREAD_BARRIER_SERIAL_THREAD;
    }
    const auto is_closed = [&] { return episode.load(std::memory_order_acquire) == mine ? EBUSY : 0; };
    if (!weir::threads::may_be_member() || !weir::threads::wait_while(EBUSY, this, is_closed))
      sleep_while_closed(mine);
    leave();
    return 0;
  }
  void leave() { inside.fetch_sub(1, std::memory_order_release); }  // release: for await_last(), this thread needs no more of it
  void sleep_while_closed(std::uint32_t mine) {
    asleep.fetch_add(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);  // either this thread sees the release, or the last one sees it asleep
    while (episode.load(std::memory_order_acquire) == mine) weir::threads::futex_wait(episode, mine);
    asleep.fetch_sub(1, std::memory_order_relaxed);
  }
  void await_last() {
    while (inside.load(std::memory_order_acquire) != 0) sched_yield();
  }
};
static_assert(sizeof(barrier) <= sizeof(pthread_barrier_t));

barrier& as_ours(pthread_barrier_t* b) { return *reinterpret_cast<barrier*>(b); }

}  // namespace

BEFORE(int, pthread_barrier_init, (pthread_barrier_t* b, const pthread_barrierattr_t* how, unsigned members)) {
  int shared = PTHREAD_PROCESS_PRIVATE;
  if (how != nullptr) pthread_barrierattr_getpshared(how, &shared);
  as_ours(b).mark = 0;
  const int result = next_pthread_barrier_init.get()(b, how, members);
  if (result == 0 && shared == PTHREAD_PROCESS_PRIVATE) new (b) barrier{members, members, 0, 0, 0, barrier::ours};
  return result;
}
BEFORE(int, pthread_barrier_wait, (pthread_barrier_t* b)) {
  return as_ours(b).has_mark() ? as_ours(b).arrive_and_wait() : next_pthread_barrier_wait.get()(b);
}
BEFORE(int, pthread_barrier_destroy, (pthread_barrier_t* b)) {
  if (!as_ours(b).has_mark()) return next_pthread_barrier_destroy.get()(b);
  as_ours(b).await_last();
  as_ours(b).mark = 0;
  return 0;
}
