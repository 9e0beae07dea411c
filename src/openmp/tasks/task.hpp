// Explicit tasks, as the thread that executes them sees them. A task is executed at once, by the thread that generates it,
// unless it must wait for another one (pending_tasks.hpp).
#pragma once

#include <utility>

#include "openmp/core/team.hpp"

namespace weir::openmp {

/// In its lifetime the thread executes an explicit task: a final one if `final`, or if the task around it is final.
class task_scope {
 public:
  explicit task_scope(bool final)
      : number(self().tasks++ + 1),
        executor_(self()),
        outer_(std::exchange(executor_.task, this)),
        was_final_(std::exchange(executor_.in_final, executor_.in_final || final)),
        icv_(executor_.icv) {}
  task_scope(const task_scope&) = delete;
  ~task_scope() {
    executor_.task = outer_;
    executor_.in_final = was_final_;
    executor_.icv = icv_;
  }

  const std::uint64_t number;  // unique among the member's tasks
  const task_scope* outer() const { return outer_; }
  mutable int id = 0;  // unique in the process; 0: nobody has asked for it yet (task_id)

 private:
  member& executor_;
  task_scope* const outer_;
  const bool was_final_;
  const control icv_;  // what the task sets is its own
};

/// The number of the task that the member executes; 0: its implicit task.
inline std::uint64_t task_number(const member& me) { return me.task != nullptr ? me.task->number : 0; }

/// A number that no other explicit task of the process has; 0 for an implicit task.
int task_id(const task_scope*);

}  // namespace weir::openmp
