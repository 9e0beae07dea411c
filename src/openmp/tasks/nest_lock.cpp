#include "openmp/tasks/nest_lock.hpp"

#include <utility>

#include "openmp/support/errors.hpp"
#include "openmp/teams/team.hpp"

namespace weir::openmp {

namespace {
const void* this_task() { return self().executing; }
}  // namespace

inline void nest_lock::enter(const void* task) {
  owner_.store(task, std::memory_order_relaxed);
  ++depth_;
}

void nest_lock::take() {
  const void* const me = this_task();
  if (!is_of(me)) mutual_.take(&waits::nest_lock);
  enter(me);
}

void nest_lock::release() {
  // The depth is written before the owner is read: a waiter has polled the line, and the store gets the line in one transfer.
  // With a load first it took 10 ns more.
  const int left = --depth_;
  if (!is_of(this_task())) [[unlikely]] end_for(errors::unset_of_others_nest_lock);
  if (left > 0) return;
  owner_.store(nullptr, std::memory_order_relaxed);
  mutual_.release();
}

int nest_lock::try_take() {
  const void* const me = this_task();
  if (!is_of(me) && !mutual_.try_take()) return 0;
  enter(me);
  return depth_;
}

void nest_lock::not_initialized(const char* routine) { end_for(errors::nest_lock_not_initialized, routine); }

void nest_lock::destroy(nest_lock** user_lock) {
  if (of_program(user_lock, "omp_destroy_nest_lock").depth_ != 0) end_for(errors::destroyed_nest_while_set);
  delete std::exchange(*user_lock, nullptr);
}

}  // namespace weir::openmp
