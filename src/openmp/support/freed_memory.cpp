#include "openmp/support/freed_memory.hpp"

#include <atomic>
#include <cstdlib>

namespace weir::openmp {

void keep_freed_memory() {
  static std::atomic<bool> done{false};
  // relaxed: only that it is done once matters; no other data goes with it.
  if (done.exchange(true, std::memory_order_relaxed)) return;
  // When a mapped block is freed, glibc raises its threshold for mapping blocks to the block's size, and the free memory that
  // it keeps at the end of the heap to twice that. mallopt could set both, but would switch this adaptation off. Only the
  // first page of the block is touched.
  constexpr std::size_t adapted_to = std::size_t{8} << 20;
  void* volatile block = std::malloc(adapted_to);  // volatile: otherwise the compiler removes the pair
  std::free(block);
}

}  // namespace weir::openmp
