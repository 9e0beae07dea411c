#include "openmp/tasks/nest_lock.hpp"

#include <utility>

#include "openmp/core/team.hpp"
#include "openmp/support/errors.hpp"

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
  if (!is_mine()) mutual_.take(&waits::nest_lock);
  enter();
}

void nest_lock::release() {
  if (!is_mine()) [[unlikely]] end_for(errors::unset_of_others_nest_lock);
  if (--depth_ > 0) return;
  owner_.store(nullptr, std::memory_order_relaxed);
  mutual_.release();
}

int nest_lock::try_take() {
  if (!is_mine() && !mutual_.try_take()) return 0;
  enter();
  return depth_;
}

nest_lock& nest_lock::of_program(nest_lock** its, const char* routine) {
  if (*its == nullptr) [[unlikely]] end_for(errors::nest_lock_not_initialized, routine);
  return **its;
}

void nest_lock::destroy(nest_lock** its) {
  if (of_program(its, "omp_destroy_nest_lock").depth_ != 0) end_for(errors::destroyed_nest_while_set);
  delete std::exchange(*its, nullptr);
}

}  // namespace weir::openmp
