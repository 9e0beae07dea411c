#include "openmp/teams/cancellation.hpp"

#include "openmp/teams/team.hpp"
#include "openmp/teams/waiting.hpp"

namespace weir::openmp {

namespace {

/// From here on the member begins no more constructs.
void note_that_it_has_left(member& me) {
  // release: its counts of constructs; the turns that it has passed on, and what it has posted.
  me.has_left.store(true, std::memory_order_release);
  for (unsigned i = 0; i < slots_in_turn; ++i) {
    me.of->loops[i].ordered.of(0).passed.open();
    me.of->doacrosses[i].iterations.wake_all();
  }
}

/// relaxed: for the member itself.
bool has_left(const member& me) { return me.has_left.load(std::memory_order_relaxed); }

/// The caller goes to the end of its region, and passes no more barriers of it.
void leave(member& me) {
  if (has_left(me)) return;
  note_that_it_has_left(me);
  team_cancellation& cancellation = *me.of->cancellation;
  if (cancellation.barrier.leave()) cancellation.waiters.open();
}

}  // namespace

bool cancel(member& me, cancellable what) {
  if (!cancellation_in_force()) return false;
  team_cancellation& cancellation = *me.of->cancellation;
  happens_before(&cancellation);
  switch (what) {
    case cancellable::region:
      cancellation.barrier.cancel();
      cancellation.waiters.open();
      leave(me);
      break;
    // release: what the member did before, for those that meet the cancellation.
    case cancellable::worksharing:
      cancellation.worksharing.store(me.barriers + 1, std::memory_order_release);
      break;
    case cancellable::task_group: cancel_task_group(*me.executing);
  }
  return true;
}

bool is_cancelled(const member& me, cancellable what) {
  if (!cancellation_in_force()) return false;
  const team_cancellation& cancellation = *me.of->cancellation;
  switch (what) {
    case cancellable::region:
      return cancellation.barrier.is_cancelled();
    case cancellable::worksharing:
      return cancellation.worksharing.load(std::memory_order_acquire) == me.barriers + 1;
    case cancellable::task_group: return is_cancelled(me, *me.executing);
  }
  return false;
}

bool is_cancelled(const team& t) { return t.cancellation->barrier.is_cancelled(); }

bool is_cancelled(const member& me, const task& executed) { return is_cancelled(*me.of) || task_group_cancelled(executed); }

unsigned participants(const team& t, std::uint32_t member::*begun, std::uint32_t construct) {
  if (t.cancellation == nullptr) return t.size;
  unsigned count = 0;
  for (unsigned m = 0; m < t.size; ++m) {
    const member& sibling = t.members[m];
    // acquire: the member's count, which no longer changes. Counts wrap around.
    const bool left_before =
        sibling.has_left.load(std::memory_order_acquire) && static_cast<std::int32_t>(sibling.*begun - construct) <= 0;
    if (!left_before) ++count;
  }
  return count;
}

bool is_abandoned(const team& t, std::uint32_t member::*begun, std::uint32_t construct, unsigned left) {
  const unsigned expected = participants(t, begun, construct);
  return left == expected && expected < t.size;
}

bool meets_cancellation(member& me, cancellable what) {
  if (!is_cancelled(me, what)) return false;
  happens_after(me.of->cancellation.get());
  if (what == cancellable::region) leave(me);
  return true;
}

bool pass_cancellable_barrier(member& me, bool may_leave) {
  if (has_left(me)) return true;  // the compiler's code has one on its way to the end
  team& t = *me.of;
  team_cancellation& cancellation = *t.cancellation;
  const auto wait = [&](const auto& word, auto ready) {
    task_work tasks(&me, waits::barrier);
    t.learned.await(oversubscribed(t), word, cancellation.waiters, ready, tasks);
  };
  const bool left = cancellation.barrier.arrive_and_wait(may_leave, wait, [&] { cancellation.waiters.open(); });
  if (!left) return false;
  happens_after(&cancellation);
  note_that_it_has_left(me);
  return true;
}

void forget_cancellation(team& t) {
  team_cancellation& cancellation = *t.cancellation;
  // relaxed: published by what lets the members begin.
  cancellation.worksharing.store(0, std::memory_order_relaxed);
  if (!cancellation.barrier.is_cancelled()) return;
  cancellation.barrier.start_over();
  t.start_over();
}

}  // namespace weir::openmp
