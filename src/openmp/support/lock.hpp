// Locks and critical sections: a word, spun on a while, then slept on.
#pragma once

#include <atomic>
#include <cstdint>

#include "openmp/support/annotation.hpp"

namespace weir::openmp {

/// Three states [Drepper, "Futexes are tricky"]: free, taken, and taken with somebody asleep. It may stand in memory of the
/// program that is nothing but zeros.
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
    // release: what was done under it, for whoever takes it next.
    if (word_.exchange(free_, std::memory_order_release) == waited_for_) [[unlikely]] wake();
  }

 private:
  static constexpr std::uint32_t free_ = 0, taken_ = 1, waited_for_ = 2;
  void take_slowly();
  void wake();
  std::atomic<std::uint32_t> word_{free_};
};

/// Held for an atomic construct that has no instruction. The program does not see this lock, so the child of a fork always finds it
/// free, as it finds the object whole.
extern constinit lock atomic_updates;

}  // namespace weir::openmp
