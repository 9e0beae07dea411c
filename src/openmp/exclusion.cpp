#include "exclusion.hpp"

#include <algorithm>

#include <weir/machine/native.hpp>
#include <weir/machine/processors.hpp>

namespace weir::openmp {

namespace {
// A critical section is short: longer than a lock's transfer and shorter than a sleep and a wake.
unsigned polls() {
  static const unsigned p = usable_processors() > 1 ? 1000 : 1;
  return p;
}
}  // namespace

void lock::take_slowly() {
  // Looks are ever rarer: each takes the lock's line from who holds the lock, and needs it to let go.
  constexpr unsigned most = 32;
  for (unsigned i = 0, between = 1; i < polls(); i += between, between = std::min(2 * between, most)) {
    // relaxed: a look; taking it acquires.
    if (word_.load(std::memory_order_relaxed) == free_ && try_take()) return;
    for (unsigned p = 0; p < between; ++p) native::pause();
  }
  while (word_.exchange(waited_for_, std::memory_order_acquire) != free_) futex_kernel::sleep_while(word_, waited_for_);
}

void lock::wake() { futex_kernel::wake_sleepers(word_); }

}  // namespace weir::openmp
