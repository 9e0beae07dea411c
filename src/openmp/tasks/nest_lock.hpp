// Nestable locks [OpenMP 5.2, 18.9].
#pragma once

#include <atomic>

#include "openmp/support/lock.hpp"

namespace weir::openmp {

/// A task owns the lock, not a thread. The program may reserve as little as a pointer for a lock, so the program's variable holds
/// the address of this object.
class nest_lock {
 public:
  void take();
  void release();
  /// Returns how often the task now holds the lock; 0: another task has it.
  int try_take();

  /// The lock for which the program calls `routine`. A lock that is destroyed, or consists of zeros, ends the program.
  static nest_lock& of_program(nest_lock** user_lock, const char* routine) {
    if (*user_lock == nullptr) [[unlikely]]
      not_initialized(routine);
    return **user_lock;
  }
  static void destroy(nest_lock** user_lock);

 private:
  [[noreturn]] static void not_initialized(const char* routine);
  bool is_of(const void* task) const { return owner_.load(std::memory_order_relaxed) == task; }
  void enter(const void* task);

  lock mutual_;
  int depth_ = 0;
  // relaxed, everywhere: a task compares the owner only with itself, and only the owner itself writes that value.
  std::atomic<const void*> owner_{nullptr};
};

}  // namespace weir::openmp
