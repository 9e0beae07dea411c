// Allocators [OpenMP 5.2, 6]. All memory spaces are the memory of the process.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir::openmp {

/// omp_null_allocator, a predefined allocator, or one that the program has made.
using allocator_handle = std::uintptr_t;
inline constexpr allocator_handle null_allocator = 0, default_mem_alloc = 1;

struct allocator_trait {
  int key;
  std::uintptr_t value;
};

/// null_allocator if a trait does not exist, or has no such value.
allocator_handle make_allocator(int count, const allocator_trait* traits);
void destroy_allocator(allocator_handle);

/// def-allocator-var of the calling thread's task.
allocator_handle default_allocator();
void set_default_allocator(allocator_handle);

enum class content { any, zeros };

/// `alignment` must be a power of two; otherwise the result is null. Without memory the allocator's fallback decides.
void* allocate(std::size_t alignment, std::size_t bytes, allocator_handle from, content = content::any);
void* allocate(std::size_t alignment, std::size_t count, std::size_t bytes, allocator_handle from);
void* reallocate(void* old, std::size_t bytes, allocator_handle from, allocator_handle of_old);
void release(void* memory);

}  // namespace weir::openmp
