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
  const timespec longest{0, 2'000'000};
  syscall(SYS_futex, &word, FUTEX_WAIT, value, &longest, nullptr, 0);
  meanwhile::now();
}

void shared_futex_kernel::wake_sleepers(std::atomic<std::uint32_t>& word) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void nap::doze() {
  const timespec length{0, 1000L * next_us_};
  nanosleep(&length, nullptr);
  next_us_ = std::min(2 * next_us_, longest_us);
  meanwhile::now();
}

}  // namespace mpi
}  // namespace weir
