/* The constructs in C, each as its user writes it. Compiled by every compiler; `count` directives for each call. */
#include "construct.h"

#include <omp.h>

const char weir_language[] = "C";

static long each(long count) { return count / omp_get_num_threads(); }

/* Synchronisation. */

static void parallel(long count, long length, long unused) {
  (void)unused;
  for (long j = 0; j < count; ++j) {
#pragma omp parallel
    weir_delay(length);
  }
}

static void for_(long count, long length, long unused) {
  (void)unused;
#pragma omp parallel
  for (long j = 0; j < count; ++j) {
#pragma omp for
    for (int i = 0; i < omp_get_num_threads(); ++i) weir_delay(length);
  }
}

static void parallel_for(long count, long length, long unused) {
  (void)unused;
  const int threads = omp_get_max_threads();
  for (long j = 0; j < count; ++j) {
#pragma omp parallel for
    for (int i = 0; i < threads; ++i) weir_delay(length);
  }
}

static void barrier(long count, long length, long unused) {
  (void)unused;
#pragma omp parallel
  for (long j = 0; j < count; ++j) {
    weir_delay(length);
#pragma omp barrier
  }
}

static void single(long count, long length, long unused) {
  (void)unused;
#pragma omp parallel
  for (long j = 0; j < count; ++j) {
#pragma omp single
    weir_delay(length);
  }
}

static void copyprivate(long count, long length, long unused) {
  (void)unused;
#pragma omp parallel
  {
    long value = 0;
    for (long j = 0; j < count; ++j) {
#pragma omp single copyprivate(value)
      {
        weir_delay(length);
        value = j;
      }
      if (value != j) weir_delay(0); /* somebody looks at the copy */
    }
  }
}

static void master(long count, long length, long unused) {
  (void)unused;
#pragma omp parallel
  for (long j = 0; j < count; ++j) {
#pragma omp master
    weir_delay(length);
  }
}

static void reduction(long count, long length, long unused) {
  (void)unused;
  double sum = 0;
  for (long j = 0; j < count; ++j) {
#pragma omp parallel reduction(+ : sum)
    {
      weir_delay(length);
      sum += 1;
    }
  }
  weir_delay(sum < 0);
}

static void flush(long count, long length, long unused) {
  (void)unused;
#pragma omp parallel
  for (long j = 0; j < count; ++j) {
    weir_delay(length);
#pragma omp flush
  }
}

/* Mutual exclusion: the threads' directives are one stream. */

static void critical(long count, long length, long unused) {
  (void)unused;
#pragma omp parallel
  for (long j = each(count); j > 0; --j) {
#pragma omp critical
    weir_delay(length);
  }
}

static void lock(long count, long length, long unused) {
  (void)unused;
  omp_lock_t it;
  omp_init_lock(&it);
#pragma omp parallel
  for (long j = each(count); j > 0; --j) {
    omp_set_lock(&it);
    weir_delay(length);
    omp_unset_lock(&it);
  }
  omp_destroy_lock(&it);
}

static void nest_lock(long count, long length, long unused) {
  (void)unused;
  omp_nest_lock_t it;
  omp_init_nest_lock(&it);
#pragma omp parallel
  for (long j = each(count); j > 0; --j) {
    omp_set_nest_lock(&it);
    weir_delay(length);
    omp_unset_nest_lock(&it);
  }
  omp_destroy_nest_lock(&it);
}

static void ordered(long count, long length, long unused) {
  (void)unused;
#pragma omp parallel for ordered schedule(static, 1)
  for (long j = 0; j < count; ++j) {
#pragma omp ordered
    weir_delay(length);
  }
}

/* Schedules: 1,024 iterations for each thread [paper 003, section II]; the parameter is the chunk. */

enum { ITERATIONS = 1024 };
#define SCHEDULE(name, kind)                                                                       \
  static void name(long count, long length, long chunk) {                                          \
    (void)chunk;                                                                                   \
    _Pragma("omp parallel") for (long j = 0; j < count; ++j) {                                     \
      _Pragma(kind) for (long i = 0; i < (long)ITERATIONS * omp_get_num_threads(); ++i) weir_delay(length); \
    }                                                                                              \
  }
SCHEDULE(schedule_static, "omp for schedule(static)")
SCHEDULE(schedule_static_n, "omp for schedule(static, chunk)")
SCHEDULE(schedule_dynamic_n, "omp for schedule(dynamic, chunk)")
SCHEDULE(schedule_guided_n, "omp for schedule(guided, chunk)")
SCHEDULE(schedule_auto, "omp for schedule(auto)")

const struct construct weir_constructs[] = {
    {"parallel", "synchronisation", WORK_OF_EACH, 0, parallel},
    {"for", "synchronisation", WORK_OF_EACH, 0, for_},
    {"parallel-for", "synchronisation", WORK_OF_EACH, 0, parallel_for},
    {"barrier", "synchronisation", WORK_OF_EACH, 0, barrier},
    {"single", "synchronisation", WORK_OF_ONE, 0, single},
    {"copyprivate", "synchronisation", WORK_OF_ONE, 0, copyprivate},
    {"master", "synchronisation", WORK_OF_ONE, 0, master},
    {"reduction", "synchronisation", WORK_OF_EACH, 0, reduction},
    {"flush", "synchronisation", WORK_OF_EACH, 0, flush},
    {"critical", "exclusion", WORK_OF_ONE, 0, critical},
    {"lock", "exclusion", WORK_OF_ONE, 0, lock},
    {"nest-lock", "exclusion", WORK_OF_ONE, 0, nest_lock},
    {"ordered", "exclusion", WORK_OF_ONE, 0, ordered},
    {"schedule-static", "schedule", WORK_OF_LOOP, 0, schedule_static},
    {"schedule-static-n", "schedule", WORK_OF_LOOP, 1, schedule_static_n},
    {"schedule-dynamic-n", "schedule", WORK_OF_LOOP, 1, schedule_dynamic_n},
    {"schedule-guided-n", "schedule", WORK_OF_LOOP, 1, schedule_guided_n},
    {"schedule-auto", "schedule", WORK_OF_LOOP, 0, schedule_auto},
};
const size_t weir_construct_count = sizeof weir_constructs / sizeof weir_constructs[0];
