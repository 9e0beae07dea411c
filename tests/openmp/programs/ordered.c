/* ordered: in the order of the iterations, one at a time, with every schedule. */
#include "check.h"
#include <omp.h>

static int next, inside;

static void in_turn(int i, int step) {
  CHECK(__atomic_fetch_add(&inside, 1, __ATOMIC_RELAXED) == 0);
  CHECK(next == i);
  next = i + step;
  __atomic_fetch_sub(&inside, 1, __ATOMIC_RELAXED);
}

#define IN_ORDER(clause)                              \
  {                                                   \
    PRAGMA(omp single)                                \
    next = 0;                                         \
    PRAGMA(omp for ordered clause)                    \
    for (int i = 0; i < 120; ++i) {                   \
      PRAGMA(omp ordered)                             \
      in_turn(i, 1);                                  \
    }                                                 \
    CHECK(next == 120);                               \
    PRAGMA(omp barrier)                               \
    PRAGMA(omp single)                                \
    next = 240;                                       \
    PRAGMA(omp for ordered clause)                    \
    for (unsigned long long i = 240; i > 0; i -= 3) { \
      PRAGMA(omp ordered)                             \
      in_turn((int)i, -3);                            \
    }                                                 \
    CHECK(next == 0);                                 \
    PRAGMA(omp barrier)                               \
  }

/* An iteration need not execute the ordered block. */
static void with_gaps(void) {
  int last = -1, count = 0;
#pragma omp parallel for ordered schedule(dynamic, 2)
  for (int i = 0; i < 200; ++i)
    if (i % 3 == 0) {
#pragma omp ordered
      {
        CHECK(i > last);
        last = i;
        ++count;
      }
    }
  CHECK(count == 67 && last == 198);
}

static void of_a_nest(void) {
  int seen = 0;
#pragma omp parallel for ordered collapse(2) schedule(static, 2)
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < 5; ++j) {
#pragma omp ordered
      {
        CHECK(seen == 5 * i + j);
        ++seen;
      }
    }
  CHECK(seen == 45);
}

int main(void) {
  int chunk = 4;
#pragma omp parallel
  {
    IN_ORDER(schedule(static))
    IN_ORDER(schedule(static, 1))
    IN_ORDER(schedule(static, chunk))
    IN_ORDER(schedule(dynamic))
    IN_ORDER(schedule(dynamic, chunk))
    IN_ORDER(schedule(guided))
    IN_ORDER(schedule(guided, chunk))
    IN_ORDER(schedule(auto))
    IN_ORDER(schedule(runtime))
  }
  for (int i = 0; i < 10; ++i) with_gaps();
  of_a_nest();
  return verdict();
}
