#include "openmp/forking/thread_limit.hpp"

#include <algorithm>
#include <limits>

#include "openmp/settings/initial.hpp"

namespace weir::openmp {

int thread_limit(const member& me) {
  const int most = initial_settings().thread_limit;
  return me.icv.thread_limit > 0 ? std::min(me.icv.thread_limit, most) : most;
}

granted_threads::granted_threads(const member& encountering, unsigned wanted) : size_(wanted) {
  const int limit = thread_limit(encountering);
  if (wanted == 1 || limit == std::numeric_limits<int>::max()) return;
  const member* outermost = &encountering;
  while (outermost->of->parent != nullptr) outermost = outermost->of->parent;
  group_ = outermost->of;
  // relaxed: the number alone matters.
  unsigned others = group_->group_threads.load(std::memory_order_relaxed), more;
  do {
    const unsigned busy = others + 1, most = static_cast<unsigned>(limit);
    more = most > busy ? std::min(wanted - 1, most - busy) : 0;
  } while (!group_->group_threads.compare_exchange_weak(others, others + more, std::memory_order_relaxed));
  size_ = more + 1;
}

void granted_threads::give_back() { group_->group_threads.fetch_sub(size_ - 1, std::memory_order_relaxed); }

}  // namespace weir::openmp
