#include "waiting.hpp"

#include <algorithm>
#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weir {

template void basic_gate<mpi::shared_futex_kernel>::open_guarded();

namespace mpi {

thread_local meanwhile meanwhile::current;

void shared_futex_kernel::sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  const timespec longest{0, meanwhile::current.moving ? 50'000 : 2'000'000};
  syscall(SYS_futex, &word, FUTEX_WAIT, value, &longest, nullptr, 0);
  meanwhile::now();
}

void shared_futex_kernel::wake_sleepers(std::atomic<std::uint32_t>& word) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void nap::doze() {
  const std::uint64_t now = native::ticks();
  if (since_ == 0) since_ = now;
  const double waited_us = static_cast<double>(now - since_) / native::ticks_per_microsecond();
  const double longest = meanwhile::current.moving ? shortest_us : longest_us;
  const timespec length{0, static_cast<long>(1e3 * std::clamp(waited_us / 16, shortest_us, longest))};
  nanosleep(&length, nullptr);
  meanwhile::now();
}

}  // namespace mpi
}  // namespace weir
