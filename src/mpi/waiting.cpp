#include "waiting.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weir {

template void basic_gate<mpi::shared_futex_kernel>::open_guarded();

namespace mpi {

thread_local progress_hook progress_hook::current;

void shared_futex_kernel::sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  // If something moves, the waiter returns and polls again.
  for (bool timed_out = true; timed_out && !progress_hook::current.moving; progress_hook::run(timed_out)) {
    const timespec longest{0, 2'000'000};
    timed_out = syscall(SYS_futex, &word, FUTEX_WAIT, value, &longest, nullptr, 0) != 0 && errno == ETIMEDOUT;
  }
}

void shared_futex_kernel::wake_sleepers(std::atomic<std::uint32_t>& word) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void message_gate::pause() {
  const std::uint64_t now = native::ticks();
  if (since_ == 0) since_ = now;
  const double waited_us = static_cast<double>(now - since_) / native::ticks_per_microsecond();
  const timespec length{0, static_cast<long>(1e3 * std::clamp(waited_us / 16, shortest_us, longest_us))};
  nanosleep(&length, nullptr);
  progress_hook::run(true);
}

}  // namespace mpi
}  // namespace weir
