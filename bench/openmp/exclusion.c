/* Mutual exclusion: the directives of all threads form one sequence, so that each waits for the others [paper 003, section
   II]. */
#include "construct.h"

#include <omp.h>

static long each(long count) { return count / omp_get_num_threads(); }

static void critical(long count, long unused) {
  (void)unused;
#pragma omp parallel
  for (long j = each(count); j > 0; --j) {
#pragma omp critical
    weir_delay();
  }
}

static void lock(long count, long unused) {
  (void)unused;
  omp_lock_t it;
  omp_init_lock(&it);
#pragma omp parallel
  for (long j = each(count); j > 0; --j) {
    omp_set_lock(&it);
    weir_delay();
    omp_unset_lock(&it);
  }
  omp_destroy_lock(&it);
}

static void nest_lock(long count, long unused) {
  (void)unused;
  omp_nest_lock_t it;
  omp_init_nest_lock(&it);
#pragma omp parallel
  for (long j = each(count); j > 0; --j) {
    omp_set_nest_lock(&it);
    weir_delay();
    omp_unset_nest_lock(&it);
  }
  omp_destroy_nest_lock(&it);
}

static void ordered(long count, long unused) {
  (void)unused;
#pragma omp parallel for ordered schedule(static, 1)
  for (long j = 0; j < count; ++j) {
#pragma omp ordered
    weir_delay();
  }
}

/* Each iteration waits for the one before. */
static void doacross(long count, long unused) {
  (void)unused;
#pragma omp parallel for ordered(1) schedule(static, 1)
  for (long j = 0; j < count; ++j) {
#pragma omp ordered depend(sink : j - 1)
    weir_delay();
#pragma omp ordered depend(source)
  }
}

static void lock_alone(long count, long unused) {
  (void)unused;
#pragma omp parallel
  {
    omp_lock_t own;
    omp_init_lock(&own);
    for (long j = 0; j < count; ++j) {
      omp_set_lock(&own);
      weir_delay();
      omp_unset_lock(&own);
    }
    omp_destroy_lock(&own);
  }
}

static void atomic(long count, long unused) {
  (void)unused;
  double sum = 0;
#pragma omp parallel
  for (long j = each(count); j > 0; --j) {
#pragma omp atomic
    sum += 1;
  }
  weir_look_at(&sum);
}

static void atomic_seq_cst(long count, long unused) {
  (void)unused;
  double sum = 0;
#pragma omp parallel
  for (long j = each(count); j > 0; --j) {
#pragma omp atomic seq_cst
    sum += 1;
  }
  weir_look_at(&sum);
}

static const struct construct constructs[] = {
    {"critical", WORK_OF_ONE, NO_PARAMETER, critical},
    {"lock", WORK_OF_ONE, NO_PARAMETER, lock},
    {"nest-lock", WORK_OF_ONE, NO_PARAMETER, nest_lock},
    {"lock-alone", WORK_OF_EACH, NO_PARAMETER, lock_alone, BRIEF},
    {"atomic", WORK_IS_UPDATE, NO_PARAMETER, atomic},
    {"atomic-seq-cst", WORK_IS_UPDATE, NO_PARAMETER, atomic_seq_cst},
    {"ordered", WORK_OF_ONE, NO_PARAMETER, ordered},
    {"doacross", WORK_OF_ONE, NO_PARAMETER, doacross},
};
const struct group weir_exclusion = {"exclusion", constructs, sizeof constructs / sizeof constructs[0]};
