// Locks, and critical sections: a waiter spins on a word for a while, then sleeps.
#pragma once

#include <atomic>
#include <cstdint>

#include "openmp/support/annotation.hpp"
#include "openmp/support/waits.hpp"

namespace weir::openmp {

/// Three states [Drepper, "Futexes are tricky"]: free, taken, and taken with a waiter asleep; the program's locks have a free
/// state of their own (program_lock.hpp).
template <std::uint32_t Free>
class basic_lock {
 public:
  bool try_take() {
    std::uint32_t expected = free_;
    // acquire: what was done under it before.
    if (!word_.compare_exchange_strong(expected, taken_, std::memory_order_acquire, std::memory_order_relaxed)) return false;
    happens_after(this);
    return true;
  }
  /// `what`: what the program waits for; null: a short wait of the runtime's own.
  void take(const wait_kind* what = nullptr) {
    if (!try_take()) [[unlikely]] take_slowly(what);
  }
  void release() {
    if (const std::uint32_t was = make_free(); was != taken_) [[unlikely]] release_slowly(was);
  }

 protected:
  static constexpr std::uint32_t free_ = Free, taken_ = Free + 1, waited_for_ = Free + 2;
  void take_slowly(const wait_kind* what);
  /// Returns the state before.
  std::uint32_t make_free() {
    happens_before(this);
    // release: what was done under it, for the thread that takes it next.
    return word_.exchange(free_, std::memory_order_release);
  }
  void release_slowly(std::uint32_t was);
  std::atomic<std::uint32_t> word_{free_};
};

/// Memory of the program that is all zeros is a free lock.
using lock = basic_lock<0>;

/// Held during an atomic construct for which there is no instruction. The program does not know this lock, so the child of a fork
/// must find the lock free and the object consistent.
extern constinit lock atomic_updates;

}  // namespace weir::openmp
