#include "openmp/core/cancellation.hpp"

#include "openmp/core/team.hpp"
#include "openmp/core/waiting.hpp"

namespace weir::openmp {

namespace {

/// The caller goes to the end of its region, and passes no more barriers of it.
void leave(member& me) {
  if (me.has_left) return;
  me.has_left = true;
  team_cancellation& its = *me.of->cancellation;
  if (its.barrier.leave()) its.waiters.open();
}

}  // namespace

bool cancel(member& me, cancellable what) {
  if (!cancellation_in_force()) return false;
  team_cancellation& its = *me.of->cancellation;
  happens_before(&its);
  switch (what) {
    case cancellable::region:
      its.barrier.cancel();
      its.waiters.open();
      leave(me);
      break;
    // release: what the member did before, for those that meet the cancellation.
    case cancellable::worksharing: its.worksharing.store(me.barriers + 1, std::memory_order_release); break;
    case cancellable::task_group: cancel_task_group(*me.executing);
  }
  return true;
}

bool is_cancelled(const member& me, cancellable what) {
  if (!cancellation_in_force()) return false;
  const team_cancellation& its = *me.of->cancellation;
  switch (what) {
    case cancellable::region: return its.barrier.is_cancelled();
    case cancellable::worksharing: return its.worksharing.load(std::memory_order_acquire) == me.barriers + 1;
    case cancellable::task_group: return is_cancelled(me, *me.executing);
  }
  return false;
}

bool is_cancelled(const member& me, const task& its) {
  return me.of->cancellation->barrier.is_cancelled() || task_group_cancelled(its);
}

bool meets_cancellation(member& me, cancellable what) {
  if (!is_cancelled(me, what)) return false;
  happens_after(me.of->cancellation.get());
  if (what == cancellable::region) leave(me);
  return true;
}

bool pass_cancellable_barrier(member& me, bool may_leave) {
  if (me.has_left) return true;  // the compiler's code has one on its way to the end
  team& t = *me.of;
  team_cancellation& its = *t.cancellation;
  const auto wait = [&](const auto& word, auto ready) {
    task_work tasks(&me, waits::barrier);
    t.learned.await(oversubscribed(t), word, its.waiters, ready, tasks);
  };
  const bool left = its.barrier.arrive_and_wait(may_leave, wait, [&] { its.waiters.open(); });
  if (left) happens_after(&its);
  return me.has_left = left;
}

bool barrier_in_cancellable(member& me) { return pass_barrier(me, true) || meets_cancellation(me, cancellable::region); }

void forget_cancellation(team& t) {
  team_cancellation& its = *t.cancellation;
  // relaxed: published by what lets the members begin.
  its.worksharing.store(0, std::memory_order_relaxed);
  if (!its.barrier.is_cancelled()) return;
  its.barrier.start_over();
  t.start_over();
}

}  // namespace weir::openmp
