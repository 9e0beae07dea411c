/* libgomp's entry points, as GCC calls them: each forwards to the runtime that its caller is bound to, and counts.
 *
 * All take and return whole words, so one signature fits all: eleven words in (as many as GOMP_taskloop has), one out. An argument that
 * a caller has not passed is forwarded as whatever is in its place, and never used (System V x86-64, AAPCS64: the caller cleans up). */
#include "callers.h"

#include <stdbool.h>
#include <stddef.h>

#define ELEVEN_WORDS word a, word b, word c, word d, word e, word f, word g, word h, word i, word j, word k
#define THE_ELEVEN a, b, c, d, e, f, g, h, i, j, k

/* The worksharing construct that this thread's next barrier may end: GCC ends `single` by GOMP_barrier. It belongs to the innermost
 * region; a nested region has its own. */
static _Thread_local __attribute__((tls_model("initial-exec"))) enum event open_single = EVENTS;

#define FORWARD(name, before, after)                                                                         \
  word name(ELEVEN_WORDS) {                                                                                  \
    static struct targets targets;                                                                           \
    const struct target target = weir_find(&targets, #name, __builtin_return_address(0), (const void *)name); \
    const struct runtime *where = target.where;                                                              \
    enum event outer = EVENTS; /* for a region: the construct open around it */                              \
    if (where != NULL) {                                                                                     \
      before;                                                                                                \
    }                                                                                                        \
    const word result = target.call(THE_ELEVEN);                                                             \
    if (where != NULL) {                                                                                     \
      after;                                                                                                 \
    }                                                                                                        \
    (void)outer;                                                                                             \
    return result;                                                                                           \
  }
/* Counted as it begins: so the region in which the program exits is counted, and no thread counts while it holds a lock. */
#define FIRST(name, count) FORWARD(name, count, )
/* Counted when its kind is known. */
#define AFTERWARDS(name, count) FORWARD(name, , count)
#define REGION(name) FORWARD(name, region(where, c); outer = open_single; open_single = EVENTS, open_single = outer)
/* Before GCC 4.9 a call began a region and another ended it. */
#define REGION_START(name) FIRST(name, region(where, c); open_single = EVENTS)

/* Once for each team, by its first thread. */
static void team(const struct runtime *where, enum event what) {
  if (where->thread_num() == 0) weir_count(where, what, where->num_threads());
}
/* By each thread. */
static void each(const struct runtime *where, enum event what) { weir_count(where, what, where->num_threads()); }

static bool said(word result) { return (result & 0xff) != 0; }

/* The region's team size is known only inside the region. Here it is computed beforehand, as in the specification [OpenMP 5.0, 2.6.1]
 * except for dynamic adjustment, which may make it smaller. `if(false)` arrives as a request for 1. */
static void region(const struct runtime *where, word asked) {
  const unsigned number = (unsigned)asked;
  int size = number != 0 ? (int)number : where->max_threads();
  const int limit = where->thread_limit();
  if (size > limit) size = limit;
  if (where->active_level() >= where->max_active_levels()) size = 1;
  weir_count(where, PARALLEL, size);
}

static void barrier(const struct runtime *where) {
  if (where->thread_num() != 0) return;
  const int size = where->num_threads();
  if (open_single == EVENTS) {
    weir_count(where, BARRIER, size);
  } else if (open_single == SINGLE_NOWAIT) {
    weir_uncount(where, SINGLE_NOWAIT, size);
    weir_count(where, SINGLE, size);
  }
  open_single = EVENTS;
}

static void single(const struct runtime *where, enum event what) {
  if (where->thread_num() != 0) return;
  weir_count(where, what, where->num_threads());
  open_single = what;
}

static void end(const struct runtime *where, enum event what) {
  team(where, what);
  open_single = EVENTS;
}

/* A static loop's chunks are computed, not taken. */
static void chunk(const struct runtime *where, word result, bool taken) {
  if (taken && said(result)) each(where, CHUNK);
}

static void got(const struct runtime *where, word result, enum event what) {
  if ((int)result != 0) each(where, what);
}

/* Regions. The combined ones are a region and a loop that ends without a barrier of its own. */
REGION(GOMP_parallel)
REGION_START(GOMP_parallel_start)
REGION(GOMP_parallel_reductions)
REGION(GOMP_parallel_sections)
REGION_START(GOMP_parallel_sections_start)
#define PARALLEL_LOOP(kind) REGION(GOMP_parallel_loop_##kind)
#define PARALLEL_LOOP_START(kind) REGION_START(GOMP_parallel_loop_##kind##_start)
PARALLEL_LOOP(static)
PARALLEL_LOOP(dynamic)
PARALLEL_LOOP(guided)
PARALLEL_LOOP(runtime)
PARALLEL_LOOP(nonmonotonic_dynamic)
PARALLEL_LOOP(nonmonotonic_guided)
PARALLEL_LOOP(nonmonotonic_runtime)
PARALLEL_LOOP(maybe_nonmonotonic_runtime)
PARALLEL_LOOP_START(static)
PARALLEL_LOOP_START(dynamic)
PARALLEL_LOOP_START(guided)
PARALLEL_LOOP_START(runtime)

/* Loops are counted when they end, chunks when they are taken. */
#define LOOP_START(kind, taken) AFTERWARDS(GOMP_loop_##kind##_start, chunk(where, result, taken))
#define LOOP_NEXT(kind, taken) AFTERWARDS(GOMP_loop_##kind##_next, chunk(where, result, taken))
#define LOOP(kind, taken) LOOP_START(kind, taken) LOOP_NEXT(kind, taken)
#define LOOPS(width)                        \
  LOOP(width##static, false)                \
  LOOP(width##dynamic, true)                \
  LOOP(width##guided, true)                 \
  LOOP(width##runtime, true)                \
  LOOP(width##nonmonotonic_dynamic, true)   \
  LOOP(width##nonmonotonic_guided, true)    \
  LOOP(width##nonmonotonic_runtime, true)   \
  LOOP(width##maybe_nonmonotonic_runtime, true) \
  LOOP(width##ordered_static, false)        \
  LOOP(width##ordered_dynamic, true)        \
  LOOP(width##ordered_guided, true)         \
  LOOP(width##ordered_runtime, true)        \
  LOOP_START(width##doacross_static, false) \
  LOOP_START(width##doacross_dynamic, true) \
  LOOP_START(width##doacross_guided, true)  \
  LOOP_START(width##doacross_runtime, true)
LOOPS()
LOOPS(ull_)
AFTERWARDS(GOMP_loop_end, end(where, FOR))
AFTERWARDS(GOMP_loop_end_cancel, end(where, FOR))
AFTERWARDS(GOMP_loop_end_nowait, end(where, FOR_NOWAIT))

AFTERWARDS(GOMP_sections_end, end(where, SECTIONS))
AFTERWARDS(GOMP_sections_end_cancel, end(where, SECTIONS))
AFTERWARDS(GOMP_sections_end_nowait, end(where, SECTIONS_NOWAIT))
AFTERWARDS(GOMP_single_start, single(where, SINGLE_NOWAIT))
AFTERWARDS(GOMP_single_copy_start, single(where, COPYPRIVATE))
AFTERWARDS(GOMP_barrier, barrier(where))
AFTERWARDS(GOMP_barrier_cancel, barrier(where))

FIRST(GOMP_critical_start, each(where, CRITICAL))
FIRST(GOMP_critical_name_start, each(where, CRITICAL))
FIRST(GOMP_atomic_start, each(where, ATOMIC))
FIRST(GOMP_ordered_start, each(where, ORDERED))
FIRST(GOMP_doacross_wait, each(where, ORDERED))
FIRST(GOMP_doacross_ull_wait, each(where, ORDERED))
FIRST(omp_set_lock, each(where, LOCK))
FIRST(omp_set_lock_, each(where, LOCK))
FIRST(omp_set_nest_lock, each(where, NEST_LOCK))
FIRST(omp_set_nest_lock_, each(where, NEST_LOCK))
/* Counted if the lock was acquired: an attempt that fails costs almost nothing. */
AFTERWARDS(omp_test_lock, got(where, result, LOCK))
AFTERWARDS(omp_test_lock_, got(where, result, LOCK))
AFTERWARDS(omp_test_nest_lock, got(where, result, NEST_LOCK))
AFTERWARDS(omp_test_nest_lock_, got(where, result, NEST_LOCK))

enum { TASK_HAS_DEPENDENCES = 8 };
FIRST(GOMP_task, each(where, (g & TASK_HAS_DEPENDENCES) != 0 ? TASK_DEPENDENCES : TASK))
FIRST(GOMP_taskwait, each(where, TASKWAIT))
FIRST(GOMP_taskwait_depend, each(where, TASKWAIT))
FIRST(GOMP_taskgroup_start, each(where, TASKGROUP))
FIRST(GOMP_taskloop, each(where, TASKLOOP))
FIRST(GOMP_taskloop_ull, each(where, TASKLOOP))
