/* Directives that contain a barrier, and similar ones without a barrier. */
#include "construct.h"

#include <omp.h>

/* No directive at all: shows what the measurement itself adds. */
static void nothing(long count, long unused) {
  (void)unused;
#pragma omp parallel
  for (long j = 0; j < count; ++j) weir_delay();
}

static void parallel(long count, long unused) {
  (void)unused;
  for (long j = 0; j < count; ++j) {
#pragma omp parallel
    weir_delay();
  }
}

static void for_(long count, long unused) {
  (void)unused;
#pragma omp parallel
  for (long j = 0; j < count; ++j) {
#pragma omp for
    for (int i = 0; i < omp_get_num_threads(); ++i) weir_delay();
  }
}

static void parallel_for(long count, long unused) {
  (void)unused;
  const int threads = omp_get_max_threads();
  for (long j = 0; j < count; ++j) {
#pragma omp parallel for
    for (int i = 0; i < threads; ++i) weir_delay();
  }
}

static void barrier(long count, long unused) {
  (void)unused;
#pragma omp parallel
  for (long j = 0; j < count; ++j) {
    weir_delay();
#pragma omp barrier
  }
}

static void single(long count, long unused) {
  (void)unused;
#pragma omp parallel
  for (long j = 0; j < count; ++j) {
#pragma omp single
    weir_delay();
  }
}

static void copyprivate(long count, long unused) {
  (void)unused;
#pragma omp parallel
  {
    long value = 0;
    for (long j = 0; j < count; ++j) {
#pragma omp single copyprivate(value)
      {
        weir_delay();
        value = j;
      }
      weir_look_at(&value);
    }
  }
}

static void sections(long count, long unused) {
  (void)unused;
#pragma omp parallel
  for (long j = 0; j < count; ++j) {
#pragma omp sections
    {
#pragma omp section
      weir_delay();
#pragma omp section
      weir_delay();
    }
  }
}

static void master(long count, long unused) {
  (void)unused;
#pragma omp parallel
  for (long j = 0; j < count; ++j) {
#pragma omp master
    weir_delay();
  }
}

static void masked(long count, long unused) {
  (void)unused;
#pragma omp parallel
  for (long j = 0; j < count; ++j) {
#pragma omp masked
    weir_delay();
  }
}

static void reduction(long count, long unused) {
  (void)unused;
  double sum = 0;
  for (long j = 0; j < count; ++j) {
#pragma omp parallel reduction(+ : sum)
    {
      weir_delay();
      sum += 1;
    }
  }
  weir_look_at(&sum);
}

static void flush(long count, long unused) {
  (void)unused;
#pragma omp parallel
  for (long j = 0; j < count; ++j) {
    weir_delay();
#pragma omp flush
  }
}

static const struct construct constructs[] = {
    {"nothing", WORK_OF_EACH, NO_PARAMETER, nothing, BRIEF},
    {"parallel", WORK_OF_EACH, NO_PARAMETER, parallel},
    {"for", WORK_OF_EACH, NO_PARAMETER, for_},
    {"parallel-for", WORK_OF_EACH, NO_PARAMETER, parallel_for},
    {"barrier", WORK_OF_EACH, NO_PARAMETER, barrier},
    {"single", WORK_OF_ONE, NO_PARAMETER, single},
    {"copyprivate", WORK_OF_ONE, NO_PARAMETER, copyprivate},
    {"sections", WORK_OF_TWO, NO_PARAMETER, sections},
    {"master", WORK_OF_ONE, NO_PARAMETER, master, BRIEF},
    {"masked", WORK_OF_ONE, NO_PARAMETER, masked, BRIEF},
    {"reduction", WORK_OF_EACH, NO_PARAMETER, reduction},
    {"flush", WORK_OF_EACH, NO_PARAMETER, flush, BRIEF},
};
const struct group weir_synchronisation = {"synchronisation", constructs, sizeof constructs / sizeof constructs[0]};
