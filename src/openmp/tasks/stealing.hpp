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

/// How many looks a member leaves out: none at first, and twice as many after each look in vain. A success only halves the pause:
/// tasks that generate no others are executed fastest by few members, and the more others want them, the longer a steal takes.
class pauses {
 public:
  bool is_over() {
    if (left_ == 0) return true;
    --left_;
    return false;
  }
  void grow(unsigned longest) {
    if (length_ < longest) length_ = std::min(2 * length_ + 1, longest);
    left_ = length_;
  }
  void shrink() { left_ = length_ /= 2; }
  /// The first pause, before the first look.
  void begin_with(unsigned length) {
    if (length_ != 0 || length == 0) return;
    left_ = length;
    length_ = 1;
  }

 private:
  unsigned length_ = 0, left_ = 0;
};

/// How a member that waits looks for tasks of others, at one queue at a time, of those that are offered. Near members, which
/// share a line of offers, come first. In a large team it also looks at far ones, at a random line each time: if all members went
/// through the lines in the same order, many would look at the same idle ones, and none at the one that has tasks. It pauses
/// between looks: else all members would ask for the lines of the same queue, and its owner would wait for them.
class search {
 public:
  /// The longest pause, in looks left out, if so many members can look at the same time. Few need none: the lines are there
  /// sooner than the next look. Simulated (EPYC 9654, tasks of 100 ns): with 2 for each member, 32 take 1.0 us for a task of one
  /// member and 64 take 2.3; with 16 it is 0.2 and 0.3.
  static unsigned longest_pause(unsigned members) {
    constexpr unsigned few = 8, for_each = 16;
    return members <= few ? 0 : for_each * members;
  }

  /// `end`: of the thief's own queue. Where the tasks that it takes generate tasks, it looks as if for the first time.
  void begin(std::int64_t end) {
    if (end == end_) return;
    end_ = end;
    near_ = far_ = {};
  }
  /// Bits in which the number of the next near victim differs from the thief's; 0: none offers tasks, or the thief pauses.
  template <class Offers>
  unsigned next_near(const Offers& offers, unsigned thief) {
    if (!near_.is_over()) return 0;
    const unsigned victim = offers.next_in(0, thief, at_);
    return victim != 0 || at_ == 0 ? victim : offers.next_in(0, thief, 0);
  }
  /// The same of a far one. The thief pauses before its first look: what it waits for is mostly done soon, and a task that goes
  /// far takes longer than a short one that stays.
  template <class Offers>
  unsigned next_far(const Offers& offers, unsigned thief, unsigned longest) {
    far_.begin_with(longest / 16);
    if (offers.blocks() == 1 || !far_.is_over()) return 0;
    const unsigned victim = offers.next_in(1 + random(thief) % (offers.blocks() - 1), thief, 0);
    if (victim == 0) far_.grow(longest / 64);  // the look has moved no line, mostly
    return victim;
  }
  void succeeded(unsigned at, bool near) {
    if (near) {
      at_ = at;
      near_.shrink();
    }
    far_.shrink();
    in_vain_ = 0;
  }
  /// `full`: the queue still has tasks, so other thieves were faster.
  void failed(unsigned at, bool near, bool full, unsigned longest) {
    if (near) {
      at_ = at + 1;
      near_.grow(std::min(longest, longest_near));
    } else {
      far_.grow(full ? longest : longest / 16);
    }
    in_vain_ = in_vain_ % patience(longest) + 1;
  }
  /// Has it been in vain for so long that an empty queue is better not offered?
  bool withdraws(unsigned longest) const { return in_vain_ == patience(longest); }

 private:
  static constexpr unsigned longest_near = 15;
  // A withdrawn offer costs its owner an atomic update at the next task, an offer that stays costs thieves two lines a look. The
  // few thieves of a small team look often between two tasks.
  static unsigned patience(unsigned longest) { return longest == 0 ? 1024 : 32; }

  unsigned random(unsigned thief) {
    if (dice_ == 0) dice_ = thief * 0x9e3779b1u + 1;
    // Marsaglia, "Xorshift RNGs", 2003.
    dice_ ^= dice_ << 13;
    dice_ ^= dice_ >> 17;
    return dice_ ^= dice_ << 5;
  }

  unsigned at_ = 0;  // where to look next among those near; 0: at the nearest
  pauses near_, far_;
  unsigned in_vain_ = 0;  // looks since the last task
  unsigned dice_ = 0;
  std::int64_t end_ = 0;
};

/// Takes a task below `bound` from the queue of another member that offers tasks. Null: the thief has found none, or
/// pauses. `everywhere`: it asks all that offer tasks. `offered_again()` is called if the thief has nearly withdrawn a queue with
/// a task.
template <class Task, class QueueOf, class Offers, class OfferedAgain>
[[gnu::always_inline]] inline Task* steal_from(QueueOf queue_of, Offers& offers, search& own_search, unsigned thief,
                                               unsigned longest_pause, const Task* bound, bool everywhere,
                                               OfferedAgain offered_again) {
  const auto from = [&](unsigned at) -> Task* {
    auto& queue = queue_of(thief ^ at);
    Task* const t = queue.steal([bound](const Task* it) { return is_below(it, bound); });
    if (t == nullptr && own_search.withdraws(longest_pause) && queue.is_empty() &&
        !offers.withdraw(thief ^ at, [&] { return queue.is_empty(); }))
      offered_again();
    return t;
  };
  if (everywhere) {
    for (unsigned at = 0; (at = offers.next(thief, at + 1)) != 0;)
      if (Task* const t = from(at)) return t;
    return nullptr;
  }
  own_search.begin(queue_of(thief).end());
  unsigned at = own_search.next_near(offers, thief);
  const bool near = at != 0;
  if (!near) at = own_search.next_far(offers, thief, longest_pause);
  if (at == 0) return nullptr;
  Task* const t = from(at);
  if (t != nullptr)
    own_search.succeeded(at, near);
  else
    own_search.failed(at, near, longest_pause != 0 && !near && !queue_of(thief ^ at).is_empty(), longest_pause);
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

/// The memory of other members' tasks that a member has completed. It goes back several tasks at a time, because each time moves
/// the list's line, which many members may want.
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
