/* Tasks. What they compute is shared out, so with p processors p of their delays are done at a time. */
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
    {"task-nested", WORK_SHARED, NO_PARAMETER, nested},
    {"task-dependences", WORK_OF_ONE, NO_PARAMETER, dependences},
    {"taskwait", WORK_OF_EACH, NO_PARAMETER, taskwait},
    {"taskgroup", WORK_OF_EACH, NO_PARAMETER, taskgroup},
    {"taskloop", WORK_OF_EACH, NO_PARAMETER, taskloop},
};
const struct group weir_tasks = {"task", constructs, sizeof constructs / sizeof constructs[0]};
