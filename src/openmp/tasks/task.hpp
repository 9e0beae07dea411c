// What a task is to who executes it. Tasks are executed at once, by who creates them, but for those that must wait for others
// (pending_tasks.hpp).
#pragma once

#include <utility>

#include "openmp/core/team.hpp"

namespace weir::openmp {

/// While it lives the thread executes an explicit task: a final one if so said, or if it was in one before.
class task_scope {
 public:
  explicit task_scope(bool final)
      : number(self().tasks++ + 1),
        who_(self()),
        outer_(std::exchange(who_.task, this)),
        was_final_(std::exchange(who_.in_final, who_.in_final || final)),
        icv_(who_.icv) {}
  task_scope(const task_scope&) = delete;
  ~task_scope() {
    who_.task = outer_;
    who_.in_final = was_final_;
    who_.icv = icv_;
  }

  const std::uint64_t number;  // no other task of the member has it
  const task_scope* outer() const { return outer_; }
  mutable int id = 0;  // for LLVM's interface; 0: nobody has asked yet

 private:
  member& who_;
  task_scope* const outer_;
  const bool was_final_;
  const control icv_;  // what the task sets is its own
};

/// The task that the member executes: 0 is its implicit task.
inline std::uint64_t task_of(const member& me) { return me.task != nullptr ? me.task->number : 0; }

}  // namespace weir::openmp
