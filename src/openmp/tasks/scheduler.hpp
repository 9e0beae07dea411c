// The tasks of a team that may begin: a queue and a pool of memory for each member. Members that wait execute them: tasks with a
// priority first, then their own, newest first, then those of others, oldest first.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>

#include <weir/machine/native.hpp>

#include "openmp/support/lock.hpp"
#include "openmp/tasks/deque.hpp"
#include "openmp/tasks/task_pool.hpp"

namespace weir::openmp {

class task_scheduler {
 public:
  explicit task_scheduler(team& of);

  task_pool& pool_of(const member& m) { return of_each_[m.number].pool; }

  /// Adds a task that may begin: a child of the task that `me` executes, or a sibling of one that it has just completed. So whatever
  /// `me` may begin lies upon what it may not. False: there are too many, and the member executes the task itself.
  bool add(member& me, task& t);
  /// The same where it cannot; and any task, if `me` is null.
  void release(member* me, task& t);

  /// Takes a task that `me` may begin: one below `bound`, or any if that is null. Null: there is none.
  task* find(member& me, const task* bound);

 private:
  // A thread that generates tasks faster than they are executed has so many in its queue, and executes the others itself.
  static constexpr std::size_t capacity = 256;
  struct of_member {
    deque<native, task, capacity> ready;
    task_pool pool;
    unsigned victim = 0;  // that the member has stolen from last
  };

  task* find_shared(const task* bound);
  task* steal(member& me, const task* bound);
  void share(task& t);
  /// Wakes a member that sleeps, if the team has fewer awake than processors.
  void wake_one();

  team& of_;
  const std::unique_ptr<of_member[]> of_each_;
  // Tasks in no member's queue, by priority, then newest first: those that have one, and those that no queue takes. The counts, of
  // the former and of all, are read without the lock.
  std::atomic<unsigned> with_priority_{0}, shared_count_{0};
  lock mutual_;
  std::map<int, task*, std::greater<>> shared_;
};

/// Of the member's team; made when it is first asked for.
task_scheduler& scheduler_of(member& me);

}  // namespace weir::openmp
