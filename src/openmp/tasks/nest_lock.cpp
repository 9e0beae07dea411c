#include "openmp/tasks/nest_lock.hpp"

#include "openmp/core/team.hpp"

namespace weir::openmp {

namespace {
const void* this_task() { return self().executing; }
}  // namespace

inline bool nest_lock::is_mine() const { return owner_.load(std::memory_order_relaxed) == this_task(); }

inline void nest_lock::enter() {
  owner_.store(this_task(), std::memory_order_relaxed);
  ++depth_;
}

void nest_lock::take() {
  if (!is_mine()) mutual_.take();
  enter();
}

void nest_lock::release() {
  if (--depth_ > 0) return;
  owner_.store(nullptr, std::memory_order_relaxed);
  mutual_.release();
}

int nest_lock::try_take() {
  if (!is_mine() && !mutual_.try_take()) return 0;
  enter();
  return depth_;
}

}  // namespace weir::openmp
