#include "openmp/forking/barrier.hpp"

#include "openmp/forking/follow_share.hpp"
#include "openmp/settings/in_force.hpp"
#include "openmp/support/annotation.hpp"
#include "openmp/tasks/at_barriers.hpp"

namespace weir::openmp {

// Two addresses in turn: what other members do before the next barrier must not happen before a late departure from this one.
[[gnu::noinline]] bool pass_barrier(member& me, bool may_leave) {
  if (!may_wait_for_all(me)) [[unlikely]] check_barrier(me);
  if (may_need_another_seat(me)) [[unlikely]] take_another_seat(me);
  complete_tasks(me);
  me.left_by_all = me.loops;
  team& t = *me.of;
  const void* const episode = &t.barrier_addresses[me.barriers++ % 2];
  happens_before(episode);
  bool left = false;
  if (cancellation_in_force())
    left = pass_cancellable_barrier(me, may_leave);
  else if (t.size > 1)
    t.barrier->arrive_and_wait(me.number);
  happens_after(episode);
  return left;
}

// The usual path ends in a jump to the code of the barrier, and saves no register.
void barrier(member& me) {
  // acquire: what completed tasks did.
  const bool tasks = me.implicit.below.load(std::memory_order_acquire) != 0;
  if (tasks || !may_wait_for_all(me) || (seldom::in_force & (seldom::cancellation | seldom::annotation)) != 0 ||
      may_need_another_seat(me)) [[unlikely]] {
    (void)pass_barrier(me, false);
    return;
  }
  me.left_by_all = me.loops;
  if (team& t = *me.of; t.size > 1) t.barrier->arrive_and_wait(me.number);
}

bool barrier_in_cancellable(member& me) { return pass_barrier(me, true) || meets_cancellation(me, cancellable::region); }

}  // namespace weir::openmp
