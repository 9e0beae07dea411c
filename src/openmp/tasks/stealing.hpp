// Which task a member takes from others, and how the memory of a task goes back to its pool. Templates over the types of tasks
// and queues, so that the simulator executes the same source.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

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

/// How many tasks the owner of a full queue executes itself before it looks for room again. If all tasks are equal, other members
/// take a quarter of the queue meanwhile.
inline unsigned refusals_of_full_queue(unsigned capacity, unsigned members) { return capacity / 4 / members; }

/// How a member that waits looks for tasks of others. It looks at one queue at a time, of those that are offered, near ones first.
/// In a large team it pauses between looks: else all members would ask for the lines of the same queue, and its owner would wait for
/// them. The pause doubles with each look in vain. A steal only halves it: tasks that generate no others are executed fastest by few
/// members near their queue, and the more others want them, the longer a steal takes.
class search {
 public:
  /// The longest pause, in looks left out, if so many members can look at the same time. Few need none: the lines are there sooner
  /// than the next look. Simulated (EPYC 9654, tasks of 100 ns): with 2 for each member, 32 take 1.0 us for a task of one member
  /// and 64 take 2.3; with 16 it is 0.2 and 0.3.
  static unsigned longest_pause(unsigned members) {
    constexpr unsigned few = 8, for_each = 16;
    return members <= few ? 0 : for_each * members;
  }

  /// `end`: of the thief's own queue. Where the tasks that it takes generate tasks, it looks as if for the first time.
  bool pauses(std::int64_t end) {
    if (end != end_) {
      end_ = end;
      pause_ = left_ = 0;
    }
    if (left_ == 0) return false;
    --left_;
    return true;
  }
  /// Bits in which the number of the next victim differs from the thief's; 0: nobody offers tasks.
  template <class Offers>
  unsigned next(const Offers& all, unsigned thief) const {
    const unsigned its = all.next(thief, at_);
    return its != 0 || at_ == 0 ? its : all.next(thief, 0);
  }
  void succeeded(unsigned at) {
    at_ = at;
    left_ = pause_ /= 2;
    in_vain_ = 0;
  }
  /// Nobody offers tasks: then a look moves no line.
  void found_no_offer(unsigned longest) {
    at_ = 0;
    pause(longest / 64);
  }
  /// `full`: the queue still has tasks, so other thieves were faster.
  void failed(unsigned at, bool full, unsigned longest) {
    at_ = at + 1;
    pause(full ? longest : longest / 16);
    in_vain_ = in_vain_ % patience(longest) + 1;
  }
  /// Has it been in vain for so long that an empty queue is better not offered?
  bool withdraws(unsigned longest) const { return in_vain_ == patience(longest); }

 private:
  // A withdrawn offer costs its owner an atomic update at the next task, an offer that stays costs thieves two lines a look. The few
  // thieves of a small team look often between two tasks.
  static unsigned patience(unsigned longest) { return longest == 0 ? 1024 : 32; }

  void pause(unsigned longest) { left_ = pause_ = std::min(2 * pause_ + 1, longest); }

  unsigned at_ = 0;  // where to look next; 0: at the nearest
  unsigned pause_ = 0, left_ = 0;
  unsigned in_vain_ = 0;  // looks since the last task
  std::int64_t end_ = 0;
};

/// Takes a task below `bound` from the queue of another member that offers tasks. Null: the thief has found none, or
/// pauses. `everywhere`: it asks all that offer tasks. `offered_again()` is called if the thief has nearly withdrawn a queue with a
/// task.
template <class Task, class QueueOf, class Offers, class OfferedAgain>
[[gnu::always_inline]] inline Task* steal_from(QueueOf queue_of, Offers& all, search& mine, unsigned thief, unsigned longest_pause,
                                               const Task* bound, bool everywhere, OfferedAgain offered_again) {
  const auto from = [&](unsigned at) -> Task* {
    auto& queue = queue_of(thief ^ at);
    Task* const t = queue.steal([bound](const Task* it) { return is_below(it, bound); });
    if (t == nullptr && mine.withdraws(longest_pause) && queue.is_empty() && !all.withdraw(thief ^ at, [&] { return queue.is_empty(); }))
      offered_again();
    return t;
  };
  if (everywhere) {
    for (unsigned at = 0; (at = all.next(thief, at + 1)) != 0;)
      if (Task* const t = from(at)) return t;
    return nullptr;
  }
  if (mine.pauses(queue_of(thief).end())) return nullptr;
  const unsigned at = mine.next(all, thief);
  if (at == 0) {
    mine.found_no_offer(longest_pause);
    return nullptr;
  }
  Task* const t = from(at);
  if (t != nullptr)
    mine.succeeded(at);
  else
    mine.failed(at, longest_pause != 0 && !queue_of(thief ^ at).is_empty(), longest_pause);
  return t;
}

/// The memory of tasks `first` to `last` goes to a list of its pool, by another thread than the pool's owner.
template <class Task, class List>
void give_back_to(List& returned, Task& first, Task& last) {
  last.next = returned.load(std::memory_order_relaxed);  // relaxed: only a value to compare with
  // release: this thread has done with it.
  while (!returned.compare_exchange_weak(last.next, &first, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

/// The memory of other members' tasks that a member has completed. It goes back several tasks at a time, because each time moves the
/// list's line, which many members may want.
template <class Task, class List>
class borrowed {
 public:
  static constexpr unsigned at_once = 8;

  void give_back(Task& t, List& returned) {
    if (to_ != &returned) give_back_all();
    to_ = &returned;
    t.next = first_;
    first_ = &t;
    if (count_++ == 0) last_ = &t;
    if (count_ == at_once) give_back_all();
  }

 private:
  void give_back_all() {
    if (count_ == 0) return;
    give_back_to(*to_, *first_, *last_);
    first_ = nullptr;
    count_ = 0;
  }

  List* to_ = nullptr;
  Task *first_ = nullptr, *last_ = nullptr;
  unsigned count_ = 0;
};

}  // namespace weir::openmp
