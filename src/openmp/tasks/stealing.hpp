// Which task a member takes from others, and how the memory of a task goes back to its pool. Templates over the types of tasks
// and queues, so that the simulator executes the same source.
#pragma once

#include <atomic>
#include <cstdint>

#include "openmp/core/victims.hpp"

namespace weir::openmp {

/// Is the task below `bound`? The answer is exact, unless another member takes the task meanwhile; then any answer will do.
template <class Task>
inline bool is_below(const Task* t, const Task* bound) {
  if (bound == nullptr) return true;
  const std::uint32_t depth = bound->depth.load(std::memory_order_relaxed);
  // relaxed: the deque has acquired them for a task that is still there.
  while (t != nullptr && t->depth.load(std::memory_order_relaxed) > depth) t = t->parent.load(std::memory_order_relaxed);
  return t == bound;
}

/// Takes a task below `bound` from the queue (`ready`) of another member, first of the one from which the thief has last stolen
/// (`victim`). Null: there is none.
template <class Task, class OfEach>
[[gnu::always_inline]] inline Task* steal_from(OfEach& of_each, unsigned thief, unsigned members, const Task* bound) {
  unsigned& last = of_each[thief].victim;
  const auto from = [&](unsigned victim) {
    return of_each[victim].ready.steal([bound](const Task* it) { return is_below(it, bound); });
  };
  if (last != thief)
    if (Task* const t = from(last)) return t;
  victims others(thief, members);
  for (unsigned victim = 0; others.next(victim);)
    if (victim != last)
      if (Task* const t = from(victim)) {
        last = victim;
        return t;
      }
  return nullptr;
}

/// Another thread than the pool's owner returns the memory of a task to a list of the pool.
template <class Task, class List>
void give_back_to(List& returned, Task& t) {
  t.next = returned.load(std::memory_order_relaxed);  // relaxed: only a value to compare with
  // release: this thread has done with it.
  while (!returned.compare_exchange_weak(t.next, &t, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

}  // namespace weir::openmp
