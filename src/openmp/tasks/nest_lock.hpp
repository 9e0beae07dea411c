// Nestable locks [OpenMP 5.2, 18.9].
#pragma once

#include <atomic>

#include "openmp/support/lock.hpp"

namespace weir::openmp {

/// A task owns it, not a thread. What the program reserves for one may be as small as a pointer, so it holds this lock's address.
class nest_lock {
 public:
  void take();
  void release();
  /// How often the task holds it now; 0: another task has it.
  int try_take();

  /// The lock that the program calls `routine` for; one that is destroyed, or zeros, ends the program.
  static nest_lock& of_program(nest_lock** its, const char* routine) {
    if (*its == nullptr) [[unlikely]] not_initialized(routine);
    return **its;
  }
  static void destroy(nest_lock** its);

 private:
  [[noreturn]] static void not_initialized(const char* routine);
  bool is_of(const void* task) const { return owner_.load(std::memory_order_relaxed) == task; }
  void enter(const void* task);

  lock mutual_;
  int depth_ = 0;
  // relaxed, everywhere: a task compares it with itself alone, and only the owner itself writes that value.
  std::atomic<const void*> owner_{nullptr};
};

}  // namespace weir::openmp
