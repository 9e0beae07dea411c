// Locks, and critical sections: a waiter spins on a word for a while, then sleeps.
#pragma once

#include <atomic>
#include <cstdint>

#include "openmp/support/annotation.hpp"

namespace weir::openmp {

/// Three states [Drepper, "Futexes are tricky"]: free, taken, and taken with a waiter asleep. Memory of the program
/// that is all zeros is a free lock.
class lock {
 public:
  bool try_take() {
    std::uint32_t expected = free_;
    // acquire: what was done under it before.
    if (!word_.compare_exchange_strong(expected, taken_, std::memory_order_acquire, std::memory_order_relaxed)) return false;
    happens_after(this);
    return true;
  }
  void take() {
    if (!try_take()) [[unlikely]] take_slowly();
  }
  void release() {
    happens_before(this);
    // release: what was done under it, for the thread that takes it next.
    if (word_.exchange(free_, std::memory_order_release) == waited_for_) [[unlikely]] wake();
  }

 private:
  static constexpr std::uint32_t free_ = 0, taken_ = 1, waited_for_ = 2;
  void take_slowly();
  void wake();
  std::atomic<std::uint32_t> word_{free_};
};

/// Held during an atomic construct for which there is no instruction. The program does not know this lock, so the child of a
/// fork must find it free; it also finds the object consistent.
extern constinit lock atomic_updates;

}  // namespace weir::openmp
