// Memory that comes from the system, not from the heap: a body that does not run may hold the heap's lock, and whoever waits for
// it under a lock of Weir's would keep the body from going on.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include <sys/mman.h>

namespace weir::threads {

/// For containers [C++20, 16.4.4.6]. Each allocation takes whole pages. Thread-safe.
template <class T>
struct mapped_memory {
  using value_type = T;
  mapped_memory() = default;
  template <class Other>
  mapped_memory(const mapped_memory<Other>&) {}  // NOLINT(google-explicit-constructor): as the standard asks

  T* allocate(std::size_t number) {
    void* const at = mmap(nullptr, number * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    return static_cast<T*>(at);
  }
  void deallocate(T* at, std::size_t number) { munmap(at, number * sizeof(T)); }
  friend bool operator==(mapped_memory, mapped_memory) { return true; }
};

/// An object that is never destroyed.
template <class T>
T* new_in_mapped_memory() {
  return std::construct_at(mapped_memory<T>().allocate(1));
}

}  // namespace weir::threads
