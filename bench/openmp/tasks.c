/* Tasks. Their computing is shared, so with p processors p delays are done at a time. */
#include "construct.h"

#include <omp.h>

static void by_master(long count, long unused) {
  (void)unused;
#pragma omp parallel
#pragma omp master
  for (long j = 0; j < count; ++j) {
#pragma omp task
    weir_delay();
  }
}

static void by_all(long count, long unused) {
  (void)unused;
#pragma omp parallel
  for (long j = count / omp_get_num_threads(); j > 0; --j) {
#pragma omp task
    weir_delay();
  }
}

/* The master generates tasks while the other threads compute as much by themselves. */
static void others_busy(long count, long unused) {
  (void)unused;
#pragma omp parallel
  {
    const int master = omp_get_thread_num() == 0;
    for (long j = 0; j < count; ++j) {
      if (!master) {
        weir_delay();
        continue;
      }
#pragma omp task
      weir_delay();
    }
  }
}

/* The compiler does not know the condition, and so generates code for both cases. */
static void undeferred(long count, long unused) {
  (void)unused;
  int deferred = 0;
  weir_look_at(&deferred);
#pragma omp parallel
  for (long j = 0; j < count; ++j) {
#pragma omp task if (deferred)
    weir_delay();
  }
}

static void task_barrier(long count, long unused) {
  (void)unused;
#pragma omp parallel
  for (long j = 0; j < count; ++j) {
#pragma omp task
    weir_delay();
#pragma omp barrier
  }
}

/* A task that generates one for each thread and waits for them. */
static void generate_for_each(void) {
#pragma omp task
  {
    for (int i = omp_get_num_threads(); i > 0; --i) {
#pragma omp task
      weir_delay();
    }
#pragma omp taskwait
  }
}

static void nested_by_all(long count, long unused) {
  (void)unused;
#pragma omp parallel
  for (long j = count / omp_get_num_threads(); j > 0; --j) generate_for_each();
}

static void nested_by_master(long count, long unused) {
  (void)unused;
#pragma omp parallel
#pragma omp master
  for (long j = 0; j < count; ++j) generate_for_each();
}

/* A tree of tasks with a delay in each. */
static void grow(long tasks) {
  const long left = (tasks - 1) / 2, right = tasks - 1 - left;
  if (left > 0) {
#pragma omp task
    grow(left);
  }
  if (right > 0) {
#pragma omp task
    grow(right);
  }
  weir_delay();
#pragma omp taskwait
}

static void tree(long count, long unused) {
  (void)unused;
#pragma omp parallel
#pragma omp master
  grow(count);
}

/* A tree with the shape of the recursion for a Fibonacci number: of the tasks below one 0.618 are below its first child. */
static void grow_unevenly(long tasks) {
  const long left = (tasks - 1) * 89 / 144, right = tasks - 1 - left;
  if (left > 0) {
#pragma omp task
    grow_unevenly(left);
  }
  if (right > 0) {
#pragma omp task
    grow_unevenly(right);
  }
  weir_delay();
#pragma omp taskwait
}

static void fibonacci_tree(long count, long unused) {
  (void)unused;
#pragma omp parallel
#pragma omp master
  grow_unevenly(count);
}

/* A tree of tasks, each with two below it, the delays in its leaves. */
static void branch(long leaves) {
  if (leaves == 1) {
    weir_delay();
    return;
  }
#pragma omp task
  branch(leaves / 2);
#pragma omp task
  branch(leaves - leaves / 2);
#pragma omp taskwait
}

static void nested(long count, long unused) {
  (void)unused;
#pragma omp parallel
#pragma omp master
  branch(count);
}

static void dependences(long count, long unused) {
  (void)unused;
  char link = 0;
#pragma omp parallel
#pragma omp master
  for (long j = 0; j < count; ++j) {
#pragma omp task depend(inout : link)
    weir_delay();
  }
  weir_look_at(&link);
}

static void taskwait(long count, long unused) {
  (void)unused;
#pragma omp parallel
  for (long j = 0; j < count; ++j) {
#pragma omp task
    weir_delay();
#pragma omp taskwait
  }
}

static void taskgroup(long count, long unused) {
  (void)unused;
#pragma omp parallel
  for (long j = 0; j < count; ++j) {
#pragma omp taskgroup
    {
#pragma omp task
      weir_delay();
    }
  }
}

static void taskloop(long count, long unused) {
  (void)unused;
#pragma omp parallel
#pragma omp master
  {
    const int threads = omp_get_num_threads();
    for (long j = 0; j < count; ++j) {
#pragma omp taskloop grainsize(1)
      for (int i = 0; i < threads; ++i) weir_delay();
    }
  }
}

static const struct construct constructs[] = {
    {"task-by-master", WORK_SHARED, NO_PARAMETER, by_master},
    {"task-by-all", WORK_SHARED, NO_PARAMETER, by_all},
    {"task-others-busy", WORK_OF_EACH, NO_PARAMETER, others_busy},
    {"task-undeferred", WORK_OF_EACH, NO_PARAMETER, undeferred},
    {"task-barrier", WORK_OF_EACH, NO_PARAMETER, task_barrier},
    {"task-nested-by-all", WORK_OF_EACH, NO_PARAMETER, nested_by_all},
    {"task-nested-by-master", WORK_OF_EACH, NO_PARAMETER, nested_by_master},
    {"task-tree", WORK_SHARED, NO_PARAMETER, tree},
    {"task-fibonacci", WORK_SHARED, NO_PARAMETER, fibonacci_tree},
    {"task-nested", WORK_SHARED, NO_PARAMETER, nested},
    {"task-dependences", WORK_OF_ONE, NO_PARAMETER, dependences},
    {"taskwait", WORK_OF_EACH, NO_PARAMETER, taskwait},
    {"taskgroup", WORK_OF_EACH, NO_PARAMETER, taskgroup},
    {"taskloop", WORK_OF_EACH, NO_PARAMETER, taskloop},
};
const struct group weir_tasks = {"task", constructs, sizeof constructs / sizeof constructs[0]};
