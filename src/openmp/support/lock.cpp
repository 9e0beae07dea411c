#include "openmp/support/program_lock.hpp"

#include <pthread.h>

#include <weir/machine/native.hpp>
#include <weir/machine/processors.hpp>

#include "system/fork_page.hpp"

namespace weir::openmp {

namespace {
// As long as a sleep and a wake-up take, about 100 us. Once a waiter sleeps, the release needs a system call.
unsigned polls() {
  // Not initialized under a guard: other threads wait for it, and in a process that is forked meanwhile they would wait for ever.
  static constinit std::atomic<unsigned> known{0};
  // relaxed: the number alone matters.
  unsigned p = known.load(std::memory_order_relaxed);
  if (p == 0) known.store(p = usable_processors() > 1 ? 5000 : 1, std::memory_order_relaxed);
  return p;
}
}  // namespace

constinit std::atomic<void (*)(const wait_kind*)> observer_of_locks{nullptr};

template <std::uint32_t Free>
void basic_lock<Free>::take_slowly(const wait_kind* what) {
  // Polls are rare: each poll takes the lock's line from the thread that holds the lock, which needs the line for the release.
  // The interval is a third of a microsecond; increasing intervals were slower in each of six measurements.
  constexpr unsigned between = 16;
  for (unsigned i = 0, most = polls(); i < most; i += between) {
    // relaxed: a poll; taking the lock acquires.
    if (word_.load(std::memory_order_relaxed) == free_ && try_take()) return;
    for (unsigned p = 0; p < between; ++p) native::pause();
  }
  // relaxed: it is set before the program runs.
  const auto observe = what != nullptr ? observer_of_locks.load(std::memory_order_relaxed) : nullptr;
  while (word_.exchange(waited_for_, std::memory_order_acquire) != free_) {
    if (observe != nullptr) observe(what);
    futex_kernel::sleep_while(word_, waited_for_);
    if (observe != nullptr) observe(nullptr);
  }
  happens_after(this);
}

template <std::uint32_t Free>
void basic_lock<Free>::release_slowly(std::uint32_t was) {
  if (was == waited_for_) futex_kernel::wake_one(word_);  // the woken thread leaves the lock waited for, and wakes the next one
}

template class basic_lock<0>;
template class basic_lock<free_in_program>;

WEIR_WRITTEN_BY_FORKS constinit lock atomic_updates;

namespace {
WEIR_RUN_BY_FORKS void before_fork() { atomic_updates.take(); }
WEIR_RUN_BY_FORKS void after_fork() { atomic_updates.release(); }
[[gnu::constructor]] void when_loaded() { pthread_atfork(before_fork, after_fork, after_fork); }
}  // namespace

}  // namespace weir::openmp
