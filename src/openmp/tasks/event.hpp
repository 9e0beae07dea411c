// Detached tasks. Such a task is complete when it has been executed, and when any thread of the process has fulfilled its event
// [OpenMP 5.2, 12.5.2].
#pragma once

#include "openmp/teams/team.hpp"

namespace weir::openmp {

/// The handle that the program holds. It is not a pointer.
struct event_handle;

/// Makes a task that is not generated yet a detached one.
event_handle* make_event(member& me, task& t);
/// An event that no task awaits ends the program.
void fulfil(event_handle* handle);

/// The task has been executed. True: its event is fulfilled, too.
bool finish_detached(task& t);

}  // namespace weir::openmp
