/* The entry points that GCC's programs call, each with its kind. The file that includes this one defines what to do for each
 * kind:
 *
 * ON_REGION(name)              begins a region and ends it: (function, its argument, threads, ...)
 * ON_REGION_OF_TASKS(name)     the same, with a reduction over tasks
 * ON_OLD_REGION(name)          begins a region that another call ends: before GCC 4.9
 * ON_CHUNK(name, taken)        gives a thread a part of a loop; `taken`: parts are taken, not computed
 * ON_END(name, event)          ends a worksharing construct by a barrier
 * ON_END_CANCEL(name, event)   the same if the region may be cancelled; returns whether it is cancelled
 * ON_END_NOWAIT(name, event)   ends it without a barrier
 * ON_SINGLE(name)              begins a single, which a barrier may end
 * ON_COPY(name)                begins a single: the executor gets null, and the others get the copied values after a barrier
 * ON_COPY_END(name)            the executor's part of that
 * ON_BARRIER(name), ON_BARRIER_CANCEL(name)
 * ON_ACQUIRE(name, event, lock), ON_RELEASE(name, lock)   the lock's address; two locks of the runtime have none
 * ON_ACQUIRE_NEST(name), ON_RELEASE_NEST(name)
 * ON_TRY(name), ON_TRY_NEST(name)    acquires the lock, or returns 0
 * ON_ORDER(name)               waits for earlier iterations
 * ON_TASK(name, event), ON_TASK_REDUCTION(name) */

/* Regions. The combined ones are a region and a loop that ends without a barrier of its own. */
ON_REGION(GOMP_parallel)
ON_OLD_REGION(GOMP_parallel_start)
ON_REGION_OF_TASKS(GOMP_parallel_reductions)
ON_REGION(GOMP_parallel_sections)
ON_OLD_REGION(GOMP_parallel_sections_start)
ON_REGION(GOMP_parallel_loop_static)
ON_REGION(GOMP_parallel_loop_dynamic)
ON_REGION(GOMP_parallel_loop_guided)
ON_REGION(GOMP_parallel_loop_runtime)
ON_REGION(GOMP_parallel_loop_nonmonotonic_dynamic)
ON_REGION(GOMP_parallel_loop_nonmonotonic_guided)
ON_REGION(GOMP_parallel_loop_nonmonotonic_runtime)
ON_REGION(GOMP_parallel_loop_maybe_nonmonotonic_runtime)
ON_OLD_REGION(GOMP_parallel_loop_static_start)
ON_OLD_REGION(GOMP_parallel_loop_dynamic_start)
ON_OLD_REGION(GOMP_parallel_loop_guided_start)
ON_OLD_REGION(GOMP_parallel_loop_runtime_start)

#define LOOP_START(kind, taken) ON_CHUNK(GOMP_loop_##kind##_start, taken)
#define LOOP(kind, taken) LOOP_START(kind, taken) ON_CHUNK(GOMP_loop_##kind##_next, taken)
#define LOOPS(width)                            \
  LOOP(width##static, false)                    \
  LOOP(width##dynamic, true)                    \
  LOOP(width##guided, true)                     \
  LOOP(width##runtime, true)                    \
  LOOP(width##nonmonotonic_dynamic, true)       \
  LOOP(width##nonmonotonic_guided, true)        \
  LOOP(width##nonmonotonic_runtime, true)       \
  LOOP(width##maybe_nonmonotonic_runtime, true) \
  LOOP(width##ordered_static, false)            \
  LOOP(width##ordered_dynamic, true)            \
  LOOP(width##ordered_guided, true)             \
  LOOP(width##ordered_runtime, true)            \
  LOOP_START(width##doacross_static, false)     \
  LOOP_START(width##doacross_dynamic, true)     \
  LOOP_START(width##doacross_guided, true)      \
  LOOP_START(width##doacross_runtime, true)
LOOPS()
LOOPS(ull_)
ON_END(GOMP_loop_end, FOR)
ON_END_CANCEL(GOMP_loop_end_cancel, FOR)
ON_END_NOWAIT(GOMP_loop_end_nowait, FOR_NOWAIT)

ON_END(GOMP_sections_end, SECTIONS)
ON_END_CANCEL(GOMP_sections_end_cancel, SECTIONS)
ON_END_NOWAIT(GOMP_sections_end_nowait, SECTIONS_NOWAIT)
ON_SINGLE(GOMP_single_start)
ON_COPY(GOMP_single_copy_start)
ON_COPY_END(GOMP_single_copy_end)
ON_BARRIER(GOMP_barrier)
ON_BARRIER_CANCEL(GOMP_barrier_cancel)
/* Since GCC 17, instead of those above. */
ON_SINGLE(GOMP_single_start_with_end)
ON_BARRIER(GOMP_barrier_ext)
ON_BARRIER_CANCEL(GOMP_barrier_cancel_ext)

ON_ACQUIRE(GOMP_critical_start, CRITICAL, OF_UNNAMED)
ON_RELEASE(GOMP_critical_end, OF_UNNAMED)
ON_ACQUIRE(GOMP_critical_name_start, CRITICAL, a)
ON_RELEASE(GOMP_critical_name_end, a)
ON_ACQUIRE(GOMP_atomic_start, ATOMIC, OF_ATOMICS)
ON_RELEASE(GOMP_atomic_end, OF_ATOMICS)
ON_ACQUIRE(GOMP_reduction_start, ATOMIC, OF_ATOMICS)
ON_RELEASE(GOMP_reduction_end, OF_ATOMICS)
ON_ACQUIRE(omp_set_lock, LOCK, a)
ON_ACQUIRE(omp_set_lock_, LOCK, a)
ON_RELEASE(omp_unset_lock, a)
ON_RELEASE(omp_unset_lock_, a)
ON_ACQUIRE_NEST(omp_set_nest_lock)
ON_ACQUIRE_NEST(omp_set_nest_lock_)
ON_RELEASE_NEST(omp_unset_nest_lock)
ON_RELEASE_NEST(omp_unset_nest_lock_)
ON_TRY(omp_test_lock)
ON_TRY(omp_test_lock_)
ON_TRY_NEST(omp_test_nest_lock)
ON_TRY_NEST(omp_test_nest_lock_)

ON_ORDER(GOMP_ordered_start)
ON_ORDER(GOMP_doacross_wait)
ON_ORDER(GOMP_doacross_ull_wait)

ON_TASK(GOMP_task, (g & TASK_HAS_DEPENDENCES) != 0 ? TASK_DEPENDENCES : TASK)
ON_TASK(GOMP_taskwait, TASKWAIT)
ON_TASK(GOMP_taskwait_depend, TASKWAIT)
ON_TASK(GOMP_taskgroup_start, TASKGROUP)
ON_TASK(GOMP_taskloop, TASKLOOP)
ON_TASK(GOMP_taskloop_ull, TASKLOOP)
ON_TASK_REDUCTION(GOMP_workshare_task_reduction_unregister)
