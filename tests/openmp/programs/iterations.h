/* Loops of every type and direction: each iteration is executed once. */
#ifndef WEIR_TESTS_OPENMP_ITERATIONS_H
#define WEIR_TESTS_OPENMP_ITERATIONS_H

#include "check.h"
#include <string.h>

enum { MOST = 1 << 12 };
typedef unsigned long long u64;
static unsigned char times[MOST];

static void met(u64 number) {
  CHECK(number < MOST);
  if (number < MOST) __atomic_fetch_add(&times[number], 1, __ATOMIC_RELAXED);
}

static void all_met(int count) {
  int good = 1;
  for (int i = 0; i < MOST; ++i) good &= times[i] == (i < count);
  CHECK(good);
  memset(times, 0, sizeof times);
}

#define UP(clause, type, first, relation, limit, step, count)                                                \
  {                                                                                                          \
    PRAGMA(omp parallel for clause)                                                                          \
    for (type i = first; i relation (limit); i += (step)) met(((u64)i - (u64)(first)) / (u64)(step));        \
    all_met(count);                                                                                          \
  }
#define DOWN(clause, type, first, limit, step, count)                                                        \
  {                                                                                                          \
    PRAGMA(omp parallel for clause)                                                                          \
    for (type i = first; i > (limit); i -= (step)) met(((u64)(first) - (u64)i) / (u64)(step));               \
    all_met(count);                                                                                          \
  }

#endif
