/* distribute: loops of every type and schedule, divided among the teams of a league of any size, and within each team. */
#include "check.h"
#include <limits.h>
#include <omp.h>
#include <string.h>

typedef unsigned long long u64;
enum { N = 130 };
static int times[N];

static void met(u64 number) {
  CHECK(number < N);
  if (number < N) add(&times[number], 1);
}

static void all_once(void) {
  for (int i = 0; i < N; ++i) CHECK(times[i] == 1);
  memset(times, 0, sizeof times);
}

/* lastprivate gives the last iteration's value. */
#define UP(construct, type, first, step)                                          \
  {                                                                               \
    const type limit = (type)((u64)(first) + N * (u64)(step));                        \
    type last = 0;                                                                \
    PRAGMA(omp construct lastprivate(last))                                       \
    for (type i = first; i < limit; i += (step)) {                                \
      met(((u64)i - (u64)(first)) / (u64)(step));                                 \
      last = i;                                                                   \
    }                                                                             \
    CHECK(last == limit - (step));                                                \
    all_once();                                                                   \
  }
#define DOWN(construct, type, first, step)                                        \
  {                                                                               \
    const type limit = (type)((u64)(first) - N * (u64)(step));                        \
    PRAGMA(omp construct)                                                         \
    for (type i = first; i > limit; i -= (step)) met(((u64)(first) - (u64)i) / (u64)(step)); \
    all_once();                                                                   \
  }

#define AT_ITS_LIMITS(construct)                         \
  UP(construct, int, INT_MIN, 16000000)                  \
  UP(construct, int, INT_MAX - 3 * N, 3)                 \
  UP(construct, unsigned, 0, 31000000u)                  \
  UP(construct, unsigned, UINT_MAX - N, 1)               \
  UP(construct, long long, LLONG_MIN, 1ll << 55)         \
  UP(construct, long long, LLONG_MAX - N, 1)             \
  UP(construct, u64, 1ull << 63, 1ull << 55)             \
  UP(construct, u64, ULLONG_MAX - 2 * N, 2)              \
  DOWN(construct, int, INT_MIN + 5 * N, 5)               \
  DOWN(construct, unsigned, N, 1)                        \
  DOWN(construct, long long, LLONG_MIN + N, 1)           \
  DOWN(construct, u64, ULLONG_MAX, 1ull << 56)

/* GCC passes a step of -1 as 2^32 - 1. */
#ifdef __clang__
#define DOWN_UNSIGNED(construct, first) DOWN(construct, unsigned, first, 1)
#else
#define DOWN_UNSIGNED(construct, first)
#endif
#define EVERY_TYPE(construct)                            \
  UP(construct, int, -100, 3)                            \
  UP(construct, unsigned, 2147483600u, 1)                \
  UP(construct, long long, -100000000000, 1ll << 40)     \
  UP(construct, u64, (1ull << 63) - 50, 3)               \
  DOWN(construct, int, 100, 2)                           \
  DOWN_UNSIGNED(construct, 2147483700u)                  \
  DOWN(construct, long long, 100, 1ll << 40)             \
  DOWN(construct, u64, (1ull << 63) + 50, 1)

/* The teams of a league share a loop; the members of a team do not. */
static void in_a_league(void) {
  int leagues = 0;
#pragma omp teams num_teams(2) reduction(+ : leagues)
  {
    leagues += omp_get_team_num() == 0 ? omp_get_num_teams() : 0;
#pragma omp distribute
    for (int i = 0; i < N; ++i) {
      int inside = 0;
#pragma omp parallel num_threads(2) reduction(+ : inside)
      inside += 1;
      CHECK(inside >= 1 && inside <= 2);
      met((u64)i);
    }
  }
  CHECK(leagues >= 1 && leagues <= 2);
  all_once();
}

static void nested_loops(void) {
#pragma omp teams distribute collapse(2) dist_schedule(static, 4)
  for (unsigned i = 0; i < 10; ++i)
    for (long j = 13; j > 0; --j) met(i * 13 + (u64)(13 - j));
  all_once();
#pragma omp teams distribute parallel for collapse(2) schedule(guided, 2)
  for (unsigned i = 0; i < 10; ++i)
    for (long j = 13; j > 0; --j) met(i * 13 + (u64)(13 - j));
  all_once();
}

int main(void) {
  int chunk = 7;
#define EVERY_CONSTRUCT(with)                                                                      \
  with(teams distribute)                                                                           \
  with(teams distribute num_teams(2) dist_schedule(static, chunk))                                 \
  with(teams distribute simd num_teams(2) dist_schedule(static, 3))                                \
  with(teams distribute parallel for num_teams(2))                                                 \
  with(teams distribute parallel for num_teams(2) dist_schedule(static, 20) schedule(static, 3))   \
  with(teams distribute parallel for num_teams(2) dist_schedule(static, 20) schedule(dynamic, 3))  \
  with(teams distribute parallel for simd num_teams(2) schedule(guided))
  EVERY_CONSTRUCT(EVERY_TYPE)
#ifdef __clang__ /* GCC's code divides these by itself, and its sums overflow; libomp's overflow in a team of one */
  if (asked() > 1) {
    EVERY_CONSTRUCT(AT_ITS_LIMITS)
  }
#endif
  in_a_league();
  nested_loops();
  return verdict();
}
