/* lastprivate(conditional: ...): the value of the last iteration, or section, that assigned one. Clang's code is wrong for a
   construct that is encountered more than once. */
#include "check.h"
#include <omp.h>

enum { N = 200 };

#define LOOP(clause, type)                                                  \
  for (int least = 0; least <= N; least += 40) {                            \
    int last = -1;                                                          \
    PRAGMA(omp parallel for lastprivate(conditional : last) clause)         \
    for (type i = 0; i < N; ++i)                                            \
      if (i % 3 == 0 && (int)i <= least) last = (int)i;                     \
    CHECK(last == (least < N ? least : N - 1) / 3 * 3);                     \
  }

static void sections(void) {
  int last = -1;
#pragma omp parallel sections lastprivate(conditional : last)
  {
#pragma omp section
    last = 1;
#pragma omp section
    last = 2;
#pragma omp section
    if (asked() < 0) last = 3;
  }
  CHECK(last == 2);
}

/* Several constructs in one region: the memory must be zeroed for each. */
static void one_after_the_other(void) {
  int first = -1, second = -1;
#pragma omp parallel
  {
#pragma omp for lastprivate(conditional : first) schedule(dynamic, 3)
    for (int i = 0; i < N; ++i)
      if (i < 150) first = i;
#pragma omp for lastprivate(conditional : second) schedule(dynamic, 3)
    for (int i = 0; i < N; ++i)
      if (i < 10) second = i;
  }
  CHECK(first == 149 && second == 9);
}

int main(void) {
  for (int round = 0; round < episodes(10); ++round) {
    LOOP(, int)
    LOOP(schedule(static, 3), int)
    LOOP(schedule(dynamic), int)
    LOOP(schedule(guided, 2), int)
    LOOP(schedule(runtime), int)
    LOOP(schedule(dynamic, 7), unsigned long long)
    LOOP(schedule(static), unsigned long long)
    sections();
    one_after_the_other();
  }
  return verdict();
}
