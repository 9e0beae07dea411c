#include "openmp/kmpc/interface.hpp"

#include <atomic>

namespace weir::openmp {

namespace {
constinit thread_local int number = -1;
}

int global_thread_number() {
  static constinit std::atomic<int> next{0};
  if (number < 0) number = next.fetch_add(1, std::memory_order_relaxed);  // relaxed: the number alone matters
  return number;
}

}  // namespace weir::openmp
