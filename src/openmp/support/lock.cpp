#include "openmp/support/lock.hpp"

#include <pthread.h>

#include <weir/machine/native.hpp>
#include <weir/machine/processors.hpp>

namespace weir::openmp {

namespace {
// As long as a sleep and a wake-up take, about 100 us. Once a waiter sleeps, the release needs a system call.
unsigned polls() {
  // Not initialized by a guard that other threads wait for: in a process that is forked meanwhile they would wait for ever.
  static constinit std::atomic<unsigned> known{0};
  // relaxed: the number alone matters.
  unsigned p = known.load(std::memory_order_relaxed);
  if (p == 0) known.store(p = usable_processors() > 1 ? 5000 : 1, std::memory_order_relaxed);
  return p;
}
}  // namespace

void lock::take_slowly() {
  // Polls seldom: each poll takes the lock's line from the thread that holds the lock, which needs it for the release. The
  // interval is a third of a microsecond; increasing intervals were slower in each of six measurements.
  constexpr unsigned between = 16;
  for (unsigned i = 0, most = polls(); i < most; i += between) {
    // relaxed: a poll; taking the lock acquires.
    if (word_.load(std::memory_order_relaxed) == free_ && try_take()) return;
    for (unsigned p = 0; p < between; ++p) native::pause();
  }
  while (word_.exchange(waited_for_, std::memory_order_acquire) != free_) futex_kernel::sleep_while(word_, waited_for_);
  happens_after(this);
}

void lock::wake() { futex_kernel::wake_sleepers(word_); }

constinit lock atomic_updates;

namespace {
[[gnu::constructor]] void when_loaded() {
  const auto release = [] { atomic_updates.release(); };
  pthread_atfork([] { atomic_updates.take(); }, release, release);
}
}  // namespace

}  // namespace weir::openmp
