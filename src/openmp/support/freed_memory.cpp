#include "openmp/support/freed_memory.hpp"

#include <atomic>
#include <cstdlib>

namespace weir::openmp {

void keep_freed_memory() {
  static std::atomic<bool> done{false};
  // relaxed: that it is done once matters, and nothing else goes with it.
  if (done.exchange(true, std::memory_order_relaxed)) return;
  // glibc moves the size from which blocks are mapped up to that of each mapped block that is freed, and the end of the heap that it
  // keeps to twice that. mallopt could set both, and would end this for good. Only the first page of the block is touched.
  constexpr std::size_t adapted_to = std::size_t{8} << 20;
  void* volatile block = std::malloc(adapted_to);  // volatile: the compiler shall not leave the pair out
  std::free(block);
}

}  // namespace weir::openmp
