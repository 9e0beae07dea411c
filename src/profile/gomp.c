/* libgomp's entry points, as GCC calls them: each forwards to the runtime that its caller is bound to, and counts. */
#include "forwarding.h"

/* The worksharing construct that this thread's next barrier may end: GCC ends `single` by GOMP_barrier. It belongs to the
 * innermost region; a nested region has its own. */
static _Thread_local __attribute__((tls_model("initial-exec"))) enum event open_single = EVENTS;

/* Counted as it begins: so the region in which the program exits is counted, and no thread counts while it holds a lock. */
#define FIRST(name, count) FORWARD(name, count, )
/* Counted when its kind is known. */
#define AFTERWARDS(name, count) FORWARD(name, , count)

/* Once for each team, by its first thread. */
static void team(const struct runtime *where, enum event what) {
  if (where->thread_num() == 0) weir_count(where, what, where->num_threads());
}
/* By each thread. */
static void each(const struct runtime *where, enum event what) { weir_count(where, what, where->num_threads()); }

/* The region's team size is known only inside the region. Here it is computed beforehand, as in the specification
 * [OpenMP 5.0, 2.6.1] except for dynamic adjustment, which may make it smaller. `if(false)` arrives as a request for 1. */
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

enum { TASK_HAS_DEPENDENCES = 8 };

#define ON_REGION(name)                                                                                          \
  FORWARD_CHANGED(name, enum event outer = EVENTS /* the construct open around it */,                            \
                  region(where, c); outer = open_single; open_single = EVENTS, a, b, open_single = outer)
#define ON_REGION_OF_TASKS ON_REGION
#define ON_OLD_REGION(name) FIRST(name, region(where, c); open_single = EVENTS)
#define ON_CHUNK(name, taken) AFTERWARDS(name, chunk(where, result, taken))
#define ON_END(name, event) AFTERWARDS(name, end(where, event))
#define ON_END_CANCEL ON_END
#define ON_END_NOWAIT ON_END
#define ON_SINGLE(name) AFTERWARDS(name, single(where, SINGLE_NOWAIT))
#define ON_COPY(name) AFTERWARDS(name, single(where, COPYPRIVATE))
#define ON_COPY_END(name)
#define ON_BARRIER(name) AFTERWARDS(name, barrier(where))
#define ON_BARRIER_CANCEL ON_BARRIER
#define ON_ACQUIRE(name, event, lock) FIRST(name, each(where, event))
#define ON_ACQUIRE_NEST(name) FIRST(name, each(where, NEST_LOCK))
/* Counted if the lock was acquired: an attempt that fails costs almost nothing. */
#define ON_TRY(name) AFTERWARDS(name, got(where, result, LOCK))
#define ON_TRY_NEST(name) AFTERWARDS(name, got(where, result, NEST_LOCK))
#define ON_RELEASE(name, lock)
#define ON_RELEASE_NEST(name)
#define ON_ORDER(name) FIRST(name, each(where, ORDERED))
#define ON_TASK(name, event) FIRST(name, each(where, event))
#define ON_TASK_REDUCTION(name)
#include "entry_points.h"
