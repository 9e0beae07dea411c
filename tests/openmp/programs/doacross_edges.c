/* depend(sink) of iterations that the loops do not have: nobody waits for them. */
#include "check.h"
#include <omp.h>

enum { N = 12, M = 5 };

/* The row above, and its columns on both sides: at the edges some of these are outside. */
#define FIELD(clause, first, last, in, towards, step)                                                           \
  for (int n = 1; n <= N; n += 5) {                                                                             \
    int when[N + 2][M] = {{0}}, now = 0;                                                                        \
    PRAGMA(omp parallel for ordered(2) clause)                                                                  \
    for (int i = 1; i <= n; ++i)                                                                                \
      for (int j = first; j in last; j towards step) {                                                          \
        PRAGMA(omp ordered depend(sink : i - 1, j - step) depend(sink : i - 1, j) depend(sink : i - 1, j + step)) \
        const int at = (j > first ? j - first : first - j) / step;                                              \
        for (int k = at > 0 ? at - 1 : 0; i > 1 && k <= at + 1 && k < M; ++k)                                   \
          CHECK(__atomic_load_n(&when[i - 1][k], __ATOMIC_RELAXED) != 0);                                       \
        __atomic_store_n(&when[i][at], __atomic_add_fetch(&now, 1, __ATOMIC_RELAXED), __ATOMIC_RELAXED);        \
        PRAGMA(omp ordered depend(source))                                                                      \
      }                                                                                                         \
    CHECK(now == n * M);                                                                                        \
  }

/* Of one dimension, forwards. */
static void behind_the_end(void) {
  int last = 0;
#pragma omp parallel for ordered(1) schedule(static, 1)
  for (int i = N; i > 0; --i) {
#pragma omp ordered depend(sink : i + 1)
    last = i;
#pragma omp ordered depend(source)
  }
  CHECK(last == 1);
}

/* The bounds of both loops are those of one. */
#define COLLAPSED(clause)                                                                  \
  {                                                                                        \
    int when[4][4][M] = {{{0}}}, now = 0;                                                  \
    PRAGMA(omp parallel for collapse(2) ordered(3) clause)                                 \
    for (int h = 0; h < 3; ++h)                                                            \
      for (int i = 0; i < 4; ++i)                                                          \
        for (int j = 0; j < M; ++j) {                                                      \
          PRAGMA(omp ordered depend(sink : h, i - 1, j + 1) depend(sink : h - 1, i + 1, j)) \
          if (i > 0 && j + 1 < M) CHECK(__atomic_load_n(&when[h][i - 1][j + 1], __ATOMIC_RELAXED) != 0); \
          if (h > 0 && i + 1 < 4) CHECK(__atomic_load_n(&when[h - 1][i + 1][j], __ATOMIC_RELAXED) != 0); \
          __atomic_store_n(&when[h][i][j], __atomic_add_fetch(&now, 1, __ATOMIC_RELAXED), __ATOMIC_RELAXED); \
          PRAGMA(omp ordered depend(source))                                               \
        }                                                                                  \
    CHECK(now == 3 * 4 * M);                                                               \
  }

int main(void) {
  for (int round = 0; round < episodes(5); ++round) {
    FIELD(, 0, M, <, +=, 1)
    FIELD(schedule(static, 1), 3, 3 + 2 * M, <, +=, 2)
    FIELD(schedule(dynamic), 7, 7 - M, >, -=, 1)
    FIELD(schedule(guided, 2), 0, M - 1, <=, +=, 1)
    FIELD(schedule(runtime), -4, -4 + 3 * M - 1, <, +=, 3)
    behind_the_end();
    COLLAPSED(schedule(static, 1))
    COLLAPSED(schedule(dynamic, 2))
  }
  return verdict();
}
