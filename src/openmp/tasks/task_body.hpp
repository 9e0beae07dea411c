// The code of an interface's tasks. If cancellation is in force, a task that has not begun when its taskgroup or region is
// cancelled is discarded [OpenMP 5.2, 11.5]. Whether cancellation is in force is decided once in a process, so that tasks need
// not ask.
#pragma once

#include "openmp/settings/initial.hpp"
#include "openmp/teams/cancellation.hpp"
#include "openmp/teams/task.hpp"

namespace weir::openmp {

/// `Execute` executes a task; `Discard` ends the lifetime of its variables only.
template <void (*Execute)(task&), void (*Discard)(task&)>
class task_body {
  using function = void (*)(task&);
  // The event of a detached task may still be fulfilled, so that task is executed.
  static void execute_or_discard(task& t) { !t.detached && is_cancelled(*t.executor, t) ? Discard(t) : Execute(t); }

 public:
  static constinit inline function run = Execute;
  /// When the library is loaded. The settings are read if they have not been yet.
  static void choose() {
    if (initial_settings().cancellation) run = execute_or_discard;
  }
};

}  // namespace weir::openmp
