// A mutex whose waiters sleep in the kernel, whoever schedules them. Weir's own schedulers need it: pthread_mutex_lock() may be
// Weir's function (threads/posix), by which a member would switch.
#pragma once

#include <atomic>
#include <cstdint>

#include <linux/futex.h>

#include "machine/raw_call.hpp"

namespace weir {

/// The protocol of <weir/locks.hpp> [Drepper, "Futexes are tricky", mutex 2], which the explorer checks there.
class kernel_mutex {
 public:
  constexpr kernel_mutex() = default;
  kernel_mutex(const kernel_mutex&) = delete;
  bool try_lock() {
    std::uint32_t expected = free;
    return state_.compare_exchange_strong(expected, taken, std::memory_order_acquire);  // acquire: what was done under it
  }
  void lock() {
    if (try_lock()) [[likely]] return;
    while (state_.exchange(waited_for, std::memory_order_acquire) != free)
      raw_call(SYS_futex, as_argument(&state_), FUTEX_WAIT_PRIVATE, waited_for, 0);
  }
  void unlock() {
    // release: what was done under it.
    if (state_.exchange(free, std::memory_order_release) == waited_for)
      raw_call(SYS_futex, as_argument(&state_), FUTEX_WAKE_PRIVATE, 1);
  }

 private:
  static constexpr std::uint32_t free = 0, taken = 1, waited_for = 2;
  std::atomic<std::uint32_t> state_{free};
};

}  // namespace weir
