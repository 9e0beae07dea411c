// Members that sleep where they would execute tasks, and who wakes them for a new one.
//
//   sleeper:  says where it sleeps; asleep += 1; fence; looks for tasks; sleeps     owner:  adds a task; fence; asleep != 0?
//             awake: does it still say so? then asleep -= 1                                 takes one off those who sleep; asleep
//             -= 1;
//                                                                                           opens its gate
//
// Either the owner sees the sleeper, or the sleeper sees the task. A member that has been taken off before it was at its gate
// must not sleep: nobody would wake it for the next task. Templates over the types of members, for the explorer and the
// simulator.
#pragma once

#include <atomic>

namespace weir::openmp {

/// Before it sleeps the member looks for tasks once more, and whether it still is_among_sleepers(). `fence`: seq_cst.
template <class Member, class Gate, class Fence>
void falls_asleep(Member& me, Gate& at, Fence fence) {
  me.asleep_at.store(&at, std::memory_order_relaxed);  // relaxed: published by the next line
  me.of->asleep.fetch_add(1, std::memory_order_release);
  // Either the thread that adds a task sees this sleeper, or the sleeper, which looks once more, sees the task.
  fence();
}

/// False: somebody has taken the member off. relaxed: the gate has acquired what was stored before it was opened.
template <class Member>
bool is_among_sleepers(const Member& waiter) {
  return waiter.asleep_at.load(std::memory_order_relaxed) != nullptr;
}

template <class Member>
void is_awake(Member& me) {
  // relaxed: the gate is this member's affair. Null: the thread that woke it has counted it already.
  if (me.asleep_at.exchange(nullptr, std::memory_order_relaxed) != nullptr)
    me.of->asleep.fetch_sub(1, std::memory_order_relaxed);
}

/// After a seq_cst fence. acquire: where they sleep.
template <class Team>
bool somebody_sleeps(const Team& of) {
  return of.asleep.load(std::memory_order_acquire) != 0;
}

/// False: the member does not sleep in a wait in which it would execute tasks. `open(gate)` wakes it there.
template <class Member, class Open>
bool wake_sleeper(Member& sleeper, Open open) {
  if (!is_among_sleepers(sleeper)) return false;
  // acquire: the gate. Only one thread wakes it.
  auto* const at = sleeper.asleep_at.exchange(nullptr, std::memory_order_acquire);
  if (at == nullptr) return false;
  sleeper.of->asleep.fetch_sub(1, std::memory_order_relaxed);  // relaxed: a count that goes with no other data
  open(*at);
  return true;
}

}  // namespace weir::openmp
