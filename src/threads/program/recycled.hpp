// Memory that threads leave to later ones, since threads come and go.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include <sys/mman.h>

#include "system/kernel_mutex.hpp"
#include "threads/scheduling/body.hpp"
#include "threads/support/valgrind.hpp"

namespace weir::threads {

/// Objects, from the heap the first time. Thread-safe.
template <class T>
class recycled {
 public:
  /// Null: the system refuses.
  T* take() {
    void* at = nullptr;
    {
      const std::lock_guard lock(mutex_);
      if (free_ != nullptr) at = std::exchange(free_, free_->next);
    }
    if (at == nullptr) at = std::malloc(sizeof(T));
    return at != nullptr ? new (at) T : nullptr;
  }
  void give_back(T& object) {
    std::destroy_at(&object);
    auto* const at = new (&object) unused;
    const std::lock_guard lock(mutex_);
    at->next = std::exchange(free_, at);
  }
  /// In the child of a fork.
  void forget() { mutex_.forget(); }

 private:
  struct unused {
    unused* next = nullptr;
  };
  kernel_mutex mutex_;
  unused* free_ = nullptr;
};

/// Where kernel threads sleep while their bodies run elsewhere, with a guard page below each. Thread-safe.
class parking_places {
 public:
  static constexpr std::size_t guard = 4096, bytes = guard + parking_bytes;
  /// The end of it; null: the system refuses the memory.
  void* take() {
    {
      const std::lock_guard lock(mutex_);
      if (free_ != nullptr) return std::exchange(free_, *below(free_));
    }
    void* const whole = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (whole == MAP_FAILED) return nullptr;
    mprotect(whole, guard, PROT_NONE);
    char* const end = static_cast<char*>(whole) + bytes;
    known_stack(end - parking_bytes, end).stays();
    return end;
  }
  void give_back(void* end) {
    const std::lock_guard lock(mutex_);
    *below(end) = std::exchange(free_, end);
  }
  /// In the child of a fork.
  void forget() { mutex_.forget(); }

 private:
  static void** below(void* end) { return static_cast<void**>(end) - 1; }
  kernel_mutex mutex_;
  void* free_ = nullptr;  // the end of the latest; each has that of the next one at its end
};

}  // namespace weir::threads
