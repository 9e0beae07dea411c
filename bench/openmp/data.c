/* Data clauses of a parallel region, over an array of the parameter's size; and reductions of one. */
#include "construct.h"

#include <omp.h>

static void private_(long count, long size) {
  double a[size];
  for (long i = 0; i < size; ++i) a[i] = 0;
  for (long j = 0; j < count; ++j) {
#pragma omp parallel private(a)
    {
      weir_look_at(a);
      weir_delay();
    }
  }
}

static void firstprivate(long count, long size) {
  double a[size];
  for (long i = 0; i < size; ++i) a[i] = (double)i;
  for (long j = 0; j < count; ++j) {
#pragma omp parallel firstprivate(a)
    {
      weir_look_at(a);
      weir_delay();
    }
  }
}

/* A threadprivate array has its size from the compiler. */
#define COPYIN(size)                                        \
  static double kept_##size[size];                          \
  _Pragma(THREADPRIVATE(kept_##size))                       \
  static void copyin_##size(long count) {      \
    for (long j = 0; j < count; ++j) {                      \
      _Pragma(PARALLEL_COPYIN(kept_##size)) {               \
        weir_look_at(kept_##size);                          \
        weir_delay();                                 \
      }                                                     \
    }                                                       \
  }
#define WORDS(text) #text
#define THREADPRIVATE(name) WORDS(omp threadprivate(name))
#define PARALLEL_COPYIN(name) WORDS(omp parallel copyin(name))
COPYIN(1)
COPYIN(9)
COPYIN(81)
COPYIN(729)
COPYIN(6561)

static void copyin(long count, long size) {
  switch (size) {
    case 1: copyin_1(count); break;
    case 9: copyin_9(count); break;
    case 81: copyin_81(count); break;
    case 729: copyin_729(count); break;
    default: copyin_6561(count); break;
  }
}

static void reduction_array(long count, long size) {
  double a[size];
  for (long i = 0; i < size; ++i) a[i] = 0;
  for (long j = 0; j < count; ++j) {
#pragma omp parallel reduction(+ : a[:size])
    {
      weir_delay();
      a[0] += 1;
    }
  }
  weir_look_at(a);
}

static const struct construct constructs[] = {
    {"private", WORK_OF_EACH, SIZE, private_},
    {"firstprivate", WORK_OF_EACH, SIZE, firstprivate},
    {"copyin", WORK_OF_EACH, SIZE, copyin},
    {"reduction-array", WORK_OF_EACH, SIZE, reduction_array},
};
const struct group weir_data = {"data", constructs, sizeof constructs / sizeof constructs[0]};
