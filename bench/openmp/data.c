/* Data clauses of a parallel region, over an array of the parameter's size; and reductions of one. */
#include "construct.h"

#include <omp.h>

static void private_(long count, long length, long size) {
  double a[size];
  for (long i = 0; i < size; ++i) a[i] = 0;
  for (long j = 0; j < count; ++j) {
#pragma omp parallel private(a)
    {
      weir_look_at(a);
      weir_delay(length);
    }
  }
}

static void firstprivate(long count, long length, long size) {
  double a[size];
  for (long i = 0; i < size; ++i) a[i] = (double)i;
  for (long j = 0; j < count; ++j) {
#pragma omp parallel firstprivate(a)
    {
      weir_look_at(a);
      weir_delay(length);
    }
  }
}

/* A threadprivate array has its size from the compiler. */
#define COPYIN(size)                                        \
  static double kept_##size[size];                          \
  _Pragma(THREADPRIVATE(kept_##size))                       \
  static void copyin_##size(long count, long length) {      \
    for (long j = 0; j < count; ++j) {                      \
      _Pragma(PARALLEL_COPYIN(kept_##size)) {               \
        weir_look_at(kept_##size);                          \
        weir_delay(length);                                 \
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

static void copyin(long count, long length, long size) {
  switch (size) {
    case 1: copyin_1(count, length); break;
    case 9: copyin_9(count, length); break;
    case 81: copyin_81(count, length); break;
    case 729: copyin_729(count, length); break;
    default: copyin_6561(count, length); break;
  }
}

static void reduction_array(long count, long length, long size) {
  double a[size];
  for (long i = 0; i < size; ++i) a[i] = 0;
  for (long j = 0; j < count; ++j) {
#pragma omp parallel reduction(+ : a[:size])
    {
      weir_delay(length);
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
