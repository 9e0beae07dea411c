// SPDX-License-Identifier: Apache-2.0
// A mutex, a condition variable and a counting semaphore for the members of a crowd, and for other threads.
//
//     weir::mutex mutex;
//     weir::condition not_empty;
//     ...
//     std::unique_lock lock(mutex);
//     not_empty.wait(lock, [&] { return !items.empty(); });
//
// A member that waits in one of these gives its virtual processor to another member [Weir's docs/threads.md]; in a lock of the
// standard library it would keep the virtual processor. Other threads poll for a moment, then sleep in the kernel.
//
// These locks are small, and not fair: the first thread that comes takes the lock. Releasing a mutex wakes one sleeper; releasing
// a semaphore, or notifying a condition, wakes all. There are no timed waits. An object may be destroyed as soon as no thread is
// going to use it, also by the thread that was the last to take the lock.
#pragma once

#if __cplusplus <= 201703L
#error "Weir needs C++20: compile with -std=c++20"
#else

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <weir/machine/native.hpp>

namespace weir {

/// How long a thread polls before it sleeps: about a microsecond, in yields to other members or in reads of the word. A sleep and
/// the wake-up cost several microseconds in the kernel.
inline constexpr unsigned polls_at_locks = 32;

template <class Machine, class Word, class Ready>
bool becomes(const Word& word, Ready ready) {
  return Machine::switch_until(word, ready, polls_at_locks) || Machine::spin(word, ready, polls_at_locks);
}

// The protocols alone, as templates over a machine and the system functions of its gates (gate.hpp), so that the explorer checks
// this source.

/// Three states, as in Drepper's "Futexes are tricky".
template <class Machine, class Kernel>
class basic_mutex {
 public:
  constexpr basic_mutex() = default;
  basic_mutex(const basic_mutex&) = delete;

  bool try_lock() {
    std::uint32_t expected = free;
    // acquire: what was done under it before.
    return state_.compare_exchange_strong(expected, taken, std::memory_order_acquire);
  }
  void lock() {
    if (!try_lock()) [[unlikely]] lock_slowly();
  }
  void unlock() {
    // release: what was done under it, for the thread that takes it next.
    if (state_.exchange(free, std::memory_order_release) == waited_for) [[unlikely]] Kernel::wake_one(state_);
  }

 private:
  void lock_slowly() {
    const auto is_free = [](std::uint32_t now) { return now == free; };
    if (becomes<Machine>(state_, is_free) && try_lock()) return;
    // The state stays waited_for when this thread takes the mutex: others may still sleep, and the release must wake the next of
    // them. acquire: as in try_lock().
    while (state_.exchange(waited_for, std::memory_order_acquire) != free) Kernel::sleep_while(state_, waited_for);
  }

  static constexpr std::uint32_t free = 0, taken = 1, waited_for = 2;
  typename Kernel::template word<std::uint32_t> state_{free};
};

/// Works with mutexes of any kind. The thread that notifies must have changed the condition under the mutex.
template <class Machine, class Kernel>
class basic_condition {
 public:
  constexpr basic_condition() = default;
  basic_condition(const basic_condition&) = delete;

  /// May return without a reason.
  template <class Lock>
  void wait(Lock& lock) {
    // relaxed, everywhere: the mutex orders what the threads tell each other, and also the announcement. The kernel compares this
    // value with the present state, which a notification has changed.
    const std::uint32_t seen = state_.fetch_or(announced, std::memory_order_relaxed) | announced;
    lock.unlock();
    Kernel::sleep_while(state_, seen);
    lock.lock();
  }
  template <class Lock, class Holds>
  void wait(Lock& lock, Holds holds) {
    while (!holds()) wait(lock);
  }

  void notify_all() {
    std::uint32_t seen = state_.load(std::memory_order_relaxed);
    // If the state has changed meanwhile, another notification has changed it, and wakes all threads that had announced
    // themselves.
    if ((seen & announced) == 0 || !state_.compare_exchange_strong(seen, seen + 1, std::memory_order_relaxed)) return;
    Kernel::wake_sleepers(state_);
  }
  /// As notify_all(): the other waiters are woken spuriously.
  void notify_one() { notify_all(); }

 private:
  static constexpr std::uint32_t announced = 1;  // above it: the number of notifications that somebody has waited for
  typename Kernel::template word<std::uint32_t> state_{0};
};

/// Has the interface of std::counting_semaphore.
template <class Machine, class Kernel>
class basic_semaphore {
 public:
  explicit constexpr basic_semaphore(std::ptrdiff_t count) : state_(units(count)) {}
  basic_semaphore(const basic_semaphore&) = delete;
  static constexpr std::ptrdiff_t max() { return std::numeric_limits<std::int32_t>::max(); }

  bool try_acquire() {
    // relaxed: taking a unit acquires.
    return take(state_.load(std::memory_order_relaxed));
  }
  void acquire() {
    if (!try_acquire()) [[unlikely]] acquire_slowly();
  }
  void release(std::ptrdiff_t count = 1) {
    // relaxed: the exchange orders what matters.
    std::uint32_t seen = state_.load(std::memory_order_relaxed);
    // release: what the caller did before, for those that take the units.
    while (!state_.compare_exchange_strong(seen, (seen & ~announced) + units(count), std::memory_order_release)) {
    }
    if ((seen & announced) != 0) [[unlikely]] Kernel::wake_sleepers(state_);
  }

 private:
  static constexpr std::uint32_t announced = 1, unit = 2;
  static constexpr std::uint32_t units(std::ptrdiff_t count) {
    assert(count >= 0 && count <= max());
    return static_cast<std::uint32_t>(count) * unit;
  }
  bool take(std::uint32_t seen) {
    while (seen >= unit)
      // acquire: what was done before the units were released. Each change of the state is a read-modify-write, so this load also
      // acquires from the releases before the last one.
      if (state_.compare_exchange_strong(seen, seen - unit, std::memory_order_acquire)) return true;
    return false;
  }
  void acquire_slowly() {
    const auto has_unit = [](std::uint32_t now) { return now >= unit; };
    if (becomes<Machine>(state_, has_unit) && try_acquire()) return;
    for (;;) {
      // relaxed: the announcement alone; the kernel compares it with the present state.
      const std::uint32_t seen = state_.fetch_or(announced, std::memory_order_relaxed) | announced;
      if (take(seen)) return;
      Kernel::sleep_while(state_, announced);
    }
  }

  typename Kernel::template word<std::uint32_t> state_;
};

using mutex = basic_mutex<native, futex_kernel>;
using condition = basic_condition<native, futex_kernel>;
using semaphore = basic_semaphore<native, futex_kernel>;

}  // namespace weir

#endif
