/* ordered(n) with depend(sink) and depend(source): loops whose iterations wait for other iterations. */
#include "check.h"
#include <omp.h>
#include <string.h>

enum { N = 40, M = 10 };

#define ALONG_A_LINE(clause, type)                         \
  {                                                        \
    long sum[N + 1] = {1};                                 \
    PRAGMA(omp parallel for ordered(1) clause)             \
    for (type i = 1; i <= N; ++i) {                        \
      PRAGMA(omp ordered depend(sink : i - 1))             \
      sum[i] = sum[i - 1] + (long)i;                       \
      PRAGMA(omp ordered depend(source))                   \
    }                                                      \
    CHECK(sum[N] == 1 + N * (N + 1) / 2);                  \
  }

static void over_a_field(int chunk) {
  static long paths[M][N];
  memset(paths, 0, sizeof paths);
#pragma omp parallel for ordered(2) schedule(dynamic, chunk)
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      paths[i][j] = i == 0 || j == 0 ? 1 : (paths[i - 1][j] + paths[i][j - 1]) % 1000003;
#pragma omp ordered depend(source)
    }
  static long expected[M][N];
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j)
      expected[i][j] = i == 0 || j == 0 ? 1 : (expected[i - 1][j] + expected[i][j - 1]) % 1000003;
  CHECK(memcmp(paths, expected, sizeof paths) == 0);
}

static void far_back_and_downwards(void) {
  int value[N + 4] = {0};
#pragma omp parallel for ordered(1) schedule(static, 1)
  for (int i = N - 1; i >= 0; i -= 1) {
#pragma omp ordered depend(sink : i + 4)
    value[i] = value[i + 4] + 1;
#pragma omp ordered depend(source)
  }
  for (int i = 0; i < N; ++i) CHECK(value[i] == (N - 1 - i) / 4 + 1);
}

/* Members without an iteration do not wait: they are several loops ahead. */
static void more_members_than_iterations(void) {
  enum { LOOPS = 200 };
  static int after[LOOPS][2];
#pragma omp parallel
  for (int loop = 0; loop < LOOPS; ++loop) {
#pragma omp for ordered(1) schedule(static, 1) nowait
    for (int i = 0; i < 2; ++i) {
#pragma omp ordered depend(sink : i - 1)
      after[loop][i] = i == 0 ? loop : after[loop][i - 1] + 1;
#pragma omp ordered depend(source)
    }
  }
  for (int loop = 0; loop < LOOPS; ++loop) CHECK(after[loop][0] == loop && after[loop][1] == loop + 1);
}

int main(void) {
  ALONG_A_LINE(schedule(static), int)
  ALONG_A_LINE(schedule(static, 1), int)
  ALONG_A_LINE(schedule(dynamic), int)
  ALONG_A_LINE(schedule(dynamic, 3), long long)
  ALONG_A_LINE(schedule(guided), int)
  ALONG_A_LINE(schedule(runtime), int)
  ALONG_A_LINE(schedule(static, 2), unsigned long long)
  ALONG_A_LINE(schedule(dynamic, 2), unsigned long long)
  over_a_field(1);
  over_a_field(3);
  far_back_and_downwards();
  more_members_than_iterations();
  return verdict();
}
