// Task reductions, as GCC compiles them.
#pragma once

namespace weir::openmp {

/// Begins the task reductions of a worksharing construct, before the construct's code runs. Each member of the team calls it;
/// null: the construct has no task reduction. GOMP_workshare_task_reduction_unregister is the other end.
void begin_task_reductions(void* words);

/// For a taskloop: begins a group for the tasks, with the variables that they reduce. end_task_group is the other end; the
/// program's code combines the copies.
void begin_reducing_group(void* words);

/// For a taskloop without iterations: tells the program's code that there is nothing to combine.
void nothing_reduced(void* words);

}  // namespace weir::openmp
