// What this room asks of the rooms above it, which define these functions.
#pragma once

namespace weir::openmp {

struct member;
struct task;
class task_scheduler;

// ---- of tasks
void delete_scheduler(task_scheduler*);
/// Takes a task for a member that waits, one below `bound`, or any of the team if that is null. Null: there is none.
task* find_task(member& me, const task* bound);
void execute_task(member& me, task& t);
void cancel_task_group(task& t);
bool task_group_cancelled(const task& t);

// ---- of forking
/// The first question of a thread about itself (thread.hpp).
member& begin_initial_team();

}  // namespace weir::openmp
