// A mutex whose waiters sleep in the kernel, whoever schedules them. Weir's own schedulers need it: pthread_mutex_lock() may be
// Weir's function (threads/posix), by which a member would switch.
#pragma once

#include <atomic>
#include <cstdint>

#include <linux/futex.h>

#include "system/fork_child.hpp"
#include "system/raw_call.hpp"

namespace weir {

/// How many such mutexes the calling thread holds: a handler that has interrupted it must not keep it from giving them back.
inline constinit thread_local int kernel_mutexes_held = 0;

/// The protocol of <weir/locks.hpp> [Drepper, "Futexes are tricky", mutex 2], which the explorer checks there.
class kernel_mutex {
 public:
  constexpr kernel_mutex() = default;
  kernel_mutex(const kernel_mutex&) = delete;
  bool try_lock() {
    std::uint32_t expected = free;
    ++kernel_mutexes_held;  // before it is taken, for the same handler
    if (state_.compare_exchange_strong(expected, taken, std::memory_order_acquire))
      return true;  // acquire: what was done under it
    --kernel_mutexes_held;
    return false;
  }
  void lock() {
    if (try_lock()) [[likely]] return;
    ++kernel_mutexes_held;
    while (state_.exchange(waited_for, std::memory_order_acquire) != free)
      raw_call(SYS_futex, as_argument(&state_), FUTEX_WAIT_PRIVATE, waited_for, 0);
  }
  void unlock() {
    // release: what was done under it.
    if (state_.exchange(free, std::memory_order_release) == waited_for)
      raw_call(SYS_futex, as_argument(&state_), FUTEX_WAKE_PRIVATE, 1);
    --kernel_mutexes_held;
  }
  /// In the child of a fork, where the thread that holds it does not exist.
  void forget() { make_so_in_child(state_, free); }

 private:
  static constexpr std::uint32_t free = 0, taken = 1, waited_for = 2;
  std::atomic<std::uint32_t> state_{free};
};

}  // namespace weir
