// The tasks of a team that may begin: a queue and a pool of memory for each member. Members that wait execute tasks with a
// priority first, then tasks of their own queue, newest first, then tasks of other queues, oldest first.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>

#include <weir/machine/native.hpp>

#include "openmp/support/annotation.hpp"
#include "openmp/support/lock.hpp"
#include "openmp/tasks/deque.hpp"
#include "openmp/tasks/offers.hpp"
#include "openmp/tasks/stealing.hpp"
#include "openmp/tasks/task_pool.hpp"
#include "openmp/teams/sleepers.hpp"

namespace weir::openmp {

class task_scheduler {
 public:
  explicit task_scheduler(team& of);
  ~task_scheduler();
  task_scheduler(const task_scheduler&) = delete;

  /// Called by the member itself, and for a member that has generated a task.
  task_pool& pool_of(const member& m) { return of(m).pool; }

  /// Adds a task that may begin: a child of the task that `me` executes, or a sibling of a task that `me` has just completed. In
  /// the queue of `me`, the tasks that `me` may begin are therefore newer than those that it may not. False: there are too many
  /// tasks, and the member executes this task itself.
  bool add(member& me, task& t) {
    happens_before(&t);
    if (t.priority > 0) return add_with_priority(t);
    of_member& own = of(me);
    if (!own.ready.push(&t, refusals_)) return false;
    if (is_to_tell(own)) tell(me);
    return true;
  }
  /// The usual case of add(), without a call, so that the caller saves no registers. `no`: it is to be added by add().
  /// `but_tell`: the member must tell() others of it.
  enum class added { no, yes, but_tell };
  [[gnu::always_inline]] added add_quickly(member& me, task& t) {
    if (annotated() || t.priority > 0) [[unlikely]] return added::no;
    of_member* const own = of_each_[me.number].load(std::memory_order_relaxed);  // relaxed: made by this member
    if (own == nullptr || !own->ready.push_quickly(&t)) [[unlikely]]
      return added::no;
    return is_to_tell(*own) ? added::but_tell : added::yes;
  }
  /// Offers the member's queue, and wakes a member.
  [[gnu::cold]] void tell(member& me);
  /// Adds a task even if add() cannot, or if `me` is null: the task then goes to the lists that the team shares.
  void release(member* me, task& t);
  /// The same for a task that `me` has taken from another member, and that `me` may never be allowed to execute: all who sleep
  /// look whether they may, since the member that waits for this task is one of them.
  void give_back(member& me, task& t);

  /// Takes a task that `me` may begin: a task below `bound`, or any task if `bound` is null. Null: there is none.
  task* find(member& me, const task* bound);
  /// The newest of the member's own queue, unless a task with a priority comes first.
  task* find_own(member& me, const task* bound) {
    return with_priority_.load(std::memory_order_relaxed) == 0 ? newest(me, bound) : nullptr;  // relaxed: a hint
  }

 private:
  // The queue of a thread that generates tasks faster than they are executed has this many tasks; the thread executes the others
  // itself.
  static constexpr std::size_t capacity = 256;
  struct of_member {
    explicit of_member(offers<native>::offer offered) : offer(offered) {}
    deque<native, task, capacity> ready;
    const offers<native>::offer offer;
    task_pool pool;
    search looks;
  };

  /// After the member has added a task: must it offer its queue, or wake a member?
  [[gnu::always_inline]] bool is_to_tell(const of_member& own) const {
    const offers<native>::offer offered = own.offer;
    // seq_cst: either this thread sees that the queue is not offered, or that a member sleeps, or the thief and the sleeper see
    // the task (offers.hpp, sleepers.hpp).
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return !offered.is_there() || somebody_sleeps(of_);
  }
  /// Made by the member itself, so that it lies in the memory near the member.
  of_member& of(const member& m) {
    // acquire: the queue of another member.
    of_member* const queue = of_each_[m.number].load(std::memory_order_acquire);
    return queue != nullptr ? *queue : make(m.number);
  }
  [[gnu::cold]] of_member& make(unsigned number);
  task* newest(member& me, const task* bound) {
    return of(me).ready.pop([bound](const task* it) { return is_below(it, bound); });
  }
  bool add_with_priority(task& t);
  task* find_shared(const task* bound);
  task* steal(member& me, const task* bound);
  void share(task& t);
  /// Wakes a member, if any sleeps.
  void wake_one() {
    // seq_cst: either this thread sees the sleeper, or the sleeper sees the task (sleepers.hpp).
    std::atomic_thread_fence(std::memory_order_seq_cst);
    wake_sleeper();
  }
  void wake_sleeper() {
    if (somebody_sleeps(of_)) [[unlikely]] wake_one_of_all();
  }
  void wake_one_of_all();
  /// Wakes a member of a virtual processor whose members all sleep. False: there is no such processor.
  bool wake_one_in_its_seat();
  /// Do all members sleep that sit there?
  bool all_sleep(unsigned seat) const;
  /// False: the member does not sleep in a wait in which it would execute tasks.
  bool wake(member& sleeper);

  team& of_;
  const std::unique_ptr<std::atomic<of_member*>[]> of_each_;  // null: the member has neither generated nor looked for tasks yet
  const unsigned longest_pause_, refusals_;
  offers<native> offers_;
  // Tasks in no member's queue, by priority, then newest first: tasks that have a priority, and tasks that no queue takes. The
  // two counts, of tasks with a priority and of all these tasks, are read without the lock.
  std::atomic<unsigned> with_priority_{0}, shared_count_{0};
  lock mutual_;
  std::map<int, task*, std::greater<>> shared_;
};

task_scheduler& make_scheduler(team& t);
/// The scheduler of the member's team; created when it is first asked for.
inline task_scheduler& scheduler_of(member& me) {
  // acquire: the scheduler that another member has made.
  task_scheduler* const scheduler = me.of->scheduler.load(std::memory_order_acquire);
  return scheduler != nullptr ? *scheduler : make_scheduler(*me.of);
}

}  // namespace weir::openmp
