// Reductions by tasks, as GCC compiles them.
#pragma once

namespace weir::openmp {

/// What a worksharing construct's start does with its argument for them, before the construct's code runs. Each member of
/// the team calls it; null: nothing is reduced by tasks. GOMP_workshare_task_reduction_unregister is the other end.
void begin_task_reductions(void* words);

/// Of a taskloop: a group for its tasks, with what they reduce. end_task_group is the other end, the program's code combines.
void begin_reducing_group(void* words);

/// Its tasks never came to be: so the program's code learns that there is nothing to combine.
void nothing_reduced(void* words);

}  // namespace weir::openmp
