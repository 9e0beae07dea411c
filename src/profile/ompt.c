/* LLVM's and Intel's runtimes report events through OMPT [OpenMP 5.0, chapter 4]: they look for ompt_start_tool. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include WEIR_OMP_TOOLS_H

#include "counts.h"

/* Named in OpenMP 5.1 and 5.2; given by number, so that older headers suffice and newer runtimes are understood. */
enum {
  MASKED = 21, /* a callback; before: master */
  BARRIER_OF_WORKSHARE = 8,
  SCOPE = 8, /* kinds of work */
  STATIC_LOOP = 10,
  LOOP_CHUNK = 3 /* a dispatch */
};

static struct runtime here;

/* The teams of this thread, the innermost last, with the worksharing construct that a barrier may end. */
enum { DEEPEST = 32 };
struct membership {
  int size, index;
  enum event open;   /* counted as nowait until its barrier */
  int takes_chunks;
};
static _Thread_local __attribute__((tls_model("initial-exec"))) struct membership teams[DEEPEST + 1];
static _Thread_local __attribute__((tls_model("initial-exec"))) int depth;

static struct membership *now(void) { return &teams[depth < DEEPEST ? depth : DEEPEST]; }
static int size(void) { return depth > 0 ? now()->size : 1; }
static int first(void) { return depth == 0 || now()->index == 0; }

static void each(enum event what) { weir_count(&here, what, size()); }
static void team(enum event what) {
  if (first()) each(what);
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned count,
                             unsigned index, int flags) {
  (void)parallel, (void)task;
  if (endpoint == ompt_scope_end) {
    if (depth > 0) --depth;
    return;
  }
  ++depth;
  *now() = (struct membership){(int)count, (int)index, EVENTS, 0};
  if ((flags & ompt_task_initial) == 0 && index == 0) each(PARALLEL);
}

static enum event without_barrier(int kind) {
  switch (kind) {
    case ompt_work_sections: return SECTIONS_NOWAIT;
    case ompt_work_single_executor:
    case ompt_work_single_other: return SINGLE_NOWAIT;
    case ompt_work_workshare:
    case ompt_work_distribute:
    case SCOPE:
    case ompt_work_taskloop: return EVENTS;
    default: return FOR_NOWAIT;
  }
}

static enum event with_barrier(enum event what) {
  return what == SECTIONS_NOWAIT ? SECTIONS : what == SINGLE_NOWAIT ? SINGLE : FOR;
}

static void on_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                    uint64_t count, const void *code) {
  (void)parallel, (void)task, (void)count, (void)code;
  if (endpoint != ompt_scope_begin) return;
  if (kind == ompt_work_taskloop) {
    each(TASKLOOP_OF_TASKS); /* its tasks and their group are reported too */
    return;
  }
  const enum event what = without_barrier(kind);
  if (what == EVENTS) return;
  now()->open = what;
  now()->takes_chunks = what == FOR_NOWAIT && (int)kind != STATIC_LOOP;
  team(what);
}

static void on_dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance) {
  (void)parallel, (void)task, (void)instance;
  if ((int)kind == LOOP_CHUNK && now()->takes_chunks) each(CHUNK);
}

static void end_by_barrier(void) {
  if (now()->open == EVENTS || !first()) return;
  weir_uncount(&here, now()->open, size());
  each(with_barrier(now()->open));
}

static void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                           ompt_data_t *task, const void *code) {
  (void)parallel, (void)task, (void)code;
  if (endpoint != ompt_scope_begin) return;
  switch ((int)kind) {
    case ompt_sync_region_barrier_explicit: team(BARRIER); break;
    case ompt_sync_region_taskwait: each(TASKWAIT); return; /* it may be inside a single, whose barrier follows later */
    case ompt_sync_region_taskgroup: each(TASKGROUP); return;
    case ompt_sync_region_barrier_implementation: /* for GCC's programs it may be explicit or implicit */
      if (now()->open == EVENTS) team(BARRIER);
      else end_by_barrier();
      break;
    case ompt_sync_region_barrier_implicit: /* older runtimes do not report the construct */
    case BARRIER_OF_WORKSHARE: end_by_barrier(); break;
    default: break;
  }
  now()->open = EVENTS;
}

static void on_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                         const void *code) {
  (void)kind, (void)parallel, (void)task, (void)code;
  if (endpoint == ompt_scope_begin) team(REDUCTION);
}

static void on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned how, ompt_wait_id_t which, const void *code) {
  (void)hint, (void)how, (void)which, (void)code;
  switch (kind) {
    case ompt_mutex_lock: each(LOCK); break;
    case ompt_mutex_nest_lock: each(NEST_LOCK); break;
    case ompt_mutex_critical: each(CRITICAL); break;
    case ompt_mutex_atomic: each(ATOMIC); break;
    case ompt_mutex_ordered: each(ORDERED); break;
    default: break;
  }
}

/* Counted if the lock was acquired at the first attempt; one that fails costs almost nothing. */
static void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t which, const void *code) {
  (void)which, (void)code;
  if (kind == ompt_mutex_test_lock) each(LOCK);
  if (kind == ompt_mutex_test_nest_lock) each(NEST_LOCK);
}

static void on_task_create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags, int dependences,
                           const void *code) {
  (void)creator, (void)frame, (void)task, (void)code;
  if ((flags & ompt_task_explicit) != 0) each(dependences ? TASK_DEPENDENCES : TASK);
}

static void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code) {
  (void)parallel, (void)task, (void)code;
  if (endpoint == ompt_scope_begin) each(MASTER);
}

static void on_flush(ompt_data_t *thread, const void *code) {
  (void)thread, (void)code;
  each(FLUSH);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *tool) {
  (void)device, (void)tool;
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  if (set == NULL) return 0;
  Dl_info info;
  if (dladdr((void *)(size_t)set, &info) != 0 && info.dli_fname != NULL)
    strncpy(here.path, info.dli_fname, PATH_BYTES - 1);
#define ON(name) set(ompt_callback_##name, (ompt_callback_t)on_##name)
  ON(implicit_task);
  ON(work);
  ON(dispatch);
  ON(sync_region);
  ON(reduction);
  ON(mutex_acquire);
  ON(mutex_acquired);
  ON(task_create);
  ON(flush);
#undef ON
  set((ompt_callbacks_t)MASKED, (ompt_callback_t)on_masked);
  return 1; /* keep the tool */
}

static void finalize(ompt_data_t *tool) { (void)tool; }

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
  (void)version, (void)runtime;
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}
