#include "memory.hpp"

#include <atomic>
#include <cstdlib>

namespace weir::openmp {

void keep_freed_memory() {
  static std::atomic<bool> done{false};
  // relaxed: that it is done once matters, and nothing else goes with it.
  if (done.exchange(true, std::memory_order_relaxed)) return;
  // glibc moves the size from which blocks are mapped up to that of each mapped block that is freed, up to 32 MB with its header, and
  // the end of the heap that it keeps to twice that. mallopt could set both, and would end it for good. No page of the block is touched
  // but the first.
  constexpr std::size_t largest = (std::size_t{32} << 20) - 8192;
  void* volatile block = std::malloc(largest);  // volatile: the compiler shall not leave the pair out
  std::free(block);
}

}  // namespace weir::openmp
