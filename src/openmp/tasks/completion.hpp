// How a task learns that all tasks below it are complete, and how the runtime learns that nobody needs a task's memory any more.
// The same decision completes a barrier: a member arrives when nothing is below its implicit task.
//
// A task's word counts children in advance. In `credit` the task's executor keeps the number of counted children that do not
// exist: they are yet to be generated, or the executor has completed them itself. Other threads change the word when they
// complete children. The executor changes the word only before a wait in which others may have to wake it: it then gives the
// credit back.
//
// A template over the type of the task, whose words may be the explorer's; the native task is in teams/task.hpp.
#pragma once

#include <atomic>
#include <cstdint>

#include "openmp/support/annotation.hpp"

namespace weir::openmp {

inline constexpr unsigned children_counted_at_once = 32;

/// Counts the next child of a task that this thread executes. Returns how many other children are not complete if the word shows
/// it, otherwise 0.
template <class Task>
std::uint64_t count_child(Task& parent, unsigned at_once = children_counted_at_once) {
  if (parent.credit != 0) [[likely]] {
    --parent.credit;
    return 0;
  }
  parent.credit = at_once - 1;
  // relaxed: the task is published later.
  return Task::incomplete_in(parent.below.fetch_add(at_once * Task::a_child, std::memory_order_relaxed));
}

/// To be called before a task waits where other threads may have to wake it. Returns the word, which then counts only children
/// that exist.
template <class Task>
std::uint64_t settle(Task& parent) {
  if (const unsigned given_back = parent.credit; given_back != 0) {
    parent.credit = 0;
    // relaxed: this continues the release sequence of the children, so the next reader of the word acquires what they did.
    parent.below.fetch_sub(given_back * Task::a_child, std::memory_order_relaxed);
  }
  // acquire: what the children did.
  return parent.below.load(std::memory_order_acquire);
}

/// Subtracts a child from the word of its parent: as complete, or as one whose memory nobody needs any more, or both. False:
/// nobody needs the parent's memory any more. `me`: null for a thread outside of the team. `executes(task)`: does this member
/// execute it? Asked before anything else, because other threads write the parent's line.
template <class Task, class Executes, class Member, class Wake>
bool complete_below(Task& parent, std::uint64_t done, Executes executes, Member* me, Wake wake) {
  if (done == Task::a_child && executes(parent)) [[likely]] {
    ++parent.credit;
    return true;
  }
  // Read before the subtraction: this child may be the last that keeps the parent's memory.
  Member* const executor = parent.executor.load(std::memory_order_relaxed);
  const bool implicit = parent.parent.load(std::memory_order_relaxed) == nullptr;
  happens_before(&parent);
  // acq_rel: what the task did, for the members that wait; what others did, for the thread that gives the memory back.
  const std::uint64_t left = parent.below.fetch_sub(done, std::memory_order_acq_rel) - done;
  // A member that executes this code does not sleep; a member that sleeps has no credit.
  if (executor != me && executor != nullptr) {
    const bool last_child = done != Task::living && Task::incomplete_in(left) == 0;
    if (last_child || (implicit && Task::without_visitors(left) == 0)) wake(*executor);
  }
  return implicit || left != 0;
}

/// The task, which has no executor any more, is complete.
template <class Task, class Executes, class Member, class GiveBack, class Wake>
void complete_counted(Task& t, Executes executes, Member* me, GiveBack give_back, Wake wake) {
  // Read before the subtraction: once nothing is below the task, its memory may be another task's.
  Task* parent = t.parent.load(std::memory_order_relaxed);
  std::uint64_t done = Task::incomplete;
  // Subtract the task itself, and the counted children that do not exist. acquire: the tasks below no longer need its memory.
  // Only this thread adds children to the word, and it adds no more.
  const std::uint64_t own = Task::living + t.credit * Task::a_child;
  const auto is_last_here = [&] {
    happens_before(&t);  // for the thread that completes the last of its children
    return t.below.fetch_sub(own, std::memory_order_acq_rel) == own;
  };
  if (t.below.load(std::memory_order_acquire) == own || is_last_here()) {
    happens_after(&t);
    give_back(t);
    done += Task::living;
  }
  while (!complete_below(*parent, done, executes, me, wake)) {
    // The parent is complete, and this was the last task below it.
    Task* const above = parent->parent.load(std::memory_order_relaxed);
    happens_after(parent);
    give_back(*parent);
    parent = above;
    done = Task::living;
  }
}

}  // namespace weir::openmp
