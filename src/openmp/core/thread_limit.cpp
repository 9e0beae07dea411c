#include "openmp/core/thread_limit.hpp"

#include <algorithm>
#include <limits>

namespace weir::openmp {

granted_threads::granted_threads(const member& opens, unsigned wanted) : size_(wanted) {
  const int limit = thread_limit(opens);
  if (wanted == 1 || limit == std::numeric_limits<int>::max()) return;
  const member* outermost = &opens;
  while (outermost->of->parent != nullptr) outermost = outermost->of->parent;
  group_ = outermost->of;
  // relaxed: the number alone matters.
  unsigned beside = group_->beside.load(std::memory_order_relaxed), more;
  do {
    const unsigned busy = beside + 1, most = static_cast<unsigned>(limit);
    more = most > busy ? std::min(wanted - 1, most - busy) : 0;
  } while (!group_->beside.compare_exchange_weak(beside, beside + more, std::memory_order_relaxed));
  size_ = more + 1;
}

void granted_threads::give_back() { group_->beside.fetch_sub(size_ - 1, std::memory_order_relaxed); }

}  // namespace weir::openmp
