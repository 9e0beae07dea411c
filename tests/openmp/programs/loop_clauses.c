/* Clauses of loops besides schedule: order(concurrent), linear, simd; the loop construct, and scope. */
#include "iterations.h"
#include <omp.h>

enum { N = 600 };
static int seen[N];

#define ALL_WAYS(with)                                   \
  with(loop)                                             \
  with(loop bind(parallel))                              \
  with(for order(concurrent))                            \
  with(for order(concurrent) schedule(dynamic, 7))       \
  with(for order(unconstrained : concurrent))            \
  with(for order(reproducible : concurrent))             \
  with(for simd order(concurrent) schedule(guided))      \
  with(for simd safelen(8) schedule(simd : dynamic, 5))  \
  with(for simd schedule(nonmonotonic : dynamic))        \
  with(for simd simdlen(4) collapse(1) nowait)

#define UPWARDS(construct)                            \
  PRAGMA(omp construct)                               \
  for (int i = 0; i < N; ++i) met((u64)i);
#define DOWNWARDS(construct)                          \
  PRAGMA(omp construct)                               \
  for (long i = 7L * N; i > 0; i -= 7) met((u64)(N - i / 7));

static void in_a_region(void) {
#define ONCE(construct)                               \
  _Pragma("omp parallel")                             \
  { UPWARDS(construct) }                               \
  all_met(N);                                         \
  _Pragma("omp parallel")                             \
  { DOWNWARDS(construct) }                            \
  all_met(N);
  ALL_WAYS(ONCE)
}

static void region_and_loop(void) {
  int sum = 0, last = -1;
#pragma omp parallel loop
  for (unsigned i = 5; i < 5 + 3 * N; i += 3) met((i - 5) / 3);
  all_met(N);
#pragma omp parallel loop collapse(2) order(concurrent) reduction(+ : sum)
  for (int i = 0; i < N / 10; ++i)
    for (int j = 0; j < 10; ++j) {
      met((u64)(10 * i + j));
      sum += i;
    }
  all_met(N);
  CHECK(sum == 5 * (N / 10) * (N / 10 - 1));
  sum = 0;
#pragma omp teams loop num_teams(3) reduction(+ : sum)
  for (int i = 0; i < N; ++i) sum += i;
#pragma omp teams loop bind(teams) order(concurrent) reduction(+ : sum)
  for (int i = 0; i < N; ++i) sum += i;
  CHECK(sum == N * (N - 1));
#pragma omp loop bind(thread) lastprivate(last)
  for (last = 0; last < N; ++last) seen[last] = last;
  CHECK(last == N && seen[N - 1] == N - 1);
}

/* Each iteration begins with the value after all previous iterations, and the last value is kept after the loop. */
#define BESIDE(construct, type, step)                                         \
  {                                                                           \
    type at = 5;                                                              \
    PRAGMA(omp construct linear(at : step))                                   \
    for (int i = 0; i < N; ++i) {                                             \
      seen[i] = (int)at;                                                      \
      at += step;                                                             \
    }                                                                         \
    CHECK(at == (type)(5 + N * step));                                        \
    int good = 1;                                                             \
    for (int i = 0; i < N; ++i) good &= seen[i] == (int)(type)(5 + i * step); \
    CHECK(good);                                                              \
    memset(seen, 0, sizeof seen);                                             \
  }
#define EVERY_TYPE(construct) BESIDE(construct, int, 3) BESIDE(construct, long long, -11) BESIDE(construct, short, 1)

static void linear(void) {
  EVERY_TYPE(parallel for)
  EVERY_TYPE(parallel for schedule(static, 7))
  EVERY_TYPE(parallel for schedule(dynamic, 4))
  EVERY_TYPE(parallel for schedule(guided))
  EVERY_TYPE(parallel for simd)
  EVERY_TYPE(parallel for simd schedule(dynamic, 9))
  EVERY_TYPE(simd)
  int *to = seen;
#pragma omp parallel for linear(to : 2) schedule(dynamic, 3)
  for (int i = 0; i < N / 2; ++i) {
    *to = 2 * i;
    to += 2;
  }
  CHECK(to == seen + N);
  for (int i = 0; i < N; i += 2) CHECK(seen[i] == i);
}

static void scopes(void) {
#ifndef __clang__ /* it parses a scope, but cannot compile it yet */
  int rounds = episodes(200), sum = 0, most = -1, own = -1;
  long wide[5] = {0};
#pragma omp parallel
  {
    for (int i = 1; i <= rounds; ++i) {
#pragma omp scope reduction(+ : sum, wide) private(own)
      {
        own = omp_get_thread_num();
        sum += own + 1;
        wide[i % 5] += i;
      }
      CHECK(sum == i * asked() * (asked() + 1) / 2 && own == -1);
#pragma omp barrier
    }
#pragma omp scope reduction(max : most) nowait
    most = omp_get_thread_num();
#pragma omp scope
    {
#pragma omp scope private(own)
      own = 3;
    }
    CHECK(most == asked() - 1); /* the second scope ends with a barrier */
  }
  for (int i = 0, of_each = asked() * rounds / 5 * (rounds - 5) / 2; i < 5; ++i)
    CHECK(wide[i] == of_each + asked() * rounds / 5 * (i == 0 ? 5 : i));
#endif
}

int main(void) {
  omp_set_dynamic(0);
  for (int round = 0; round < 3; ++round) {
    in_a_region();
    region_and_loop();
    linear();
  }
  scopes();
  return verdict();
}
