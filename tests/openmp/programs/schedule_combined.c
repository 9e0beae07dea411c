/* Combined schedules: chunks with the simd modifier, chunks of one iteration within a league's chunks. Each iteration is
   executed once, and lastprivate gives the last one's value. */
#include "check.h"
#include <limits.h>
#include <omp.h>
#include <string.h>

enum { N = 130 };
static int times[N];

static void met(long number) {
  CHECK(number >= 0 && number < N);
  if (number >= 0 && number < N) add(&times[number], 1);
}

static void all_once(void) {
  for (int i = 0; i < N; ++i) CHECK(times[i] == 1);
  memset(times, 0, sizeof times);
}

#define LOOP(construct, type, first)                   \
  {                                                    \
    const type begin = first;                          \
    type last = 0;                                     \
    PRAGMA(omp construct lastprivate(last))            \
    for (type i = begin; i < begin + 3 * N; i += 3) {  \
      met((long)((i - begin) / 3));                    \
      last = i;                                        \
    }                                                  \
    CHECK(last == begin + 3 * (N - 1));                \
    all_once();                                        \
  }
#define EVERY_TYPE(construct)              \
  LOOP(construct, int, -100)               \
  LOOP(construct, unsigned, 2147483600u)   \
  LOOP(construct, long long, -100000000000) \
  LOOP(construct, unsigned long long, (1ull << 63) - 50)

/* The size of a chunk may be rounded, but not up to one block for each member. */
static void in_chunks(void) {
  int most = 0;
#pragma omp parallel for schedule(simd : static, 5) reduction(max : most)
  for (int i = 0; i < N; ++i)
    if (omp_get_thread_num() == 0) most = i;
  CHECK(asked() > 4 || most >= N / 2);
}

int main(void) {
  int chunk = 7;
  EVERY_TYPE(parallel for simd schedule(simd : static))
  EVERY_TYPE(parallel for simd schedule(simd : static, 5))
  EVERY_TYPE(parallel for simd schedule(simd : static, chunk))
  EVERY_TYPE(parallel for simd schedule(simd, nonmonotonic : dynamic, 5))
  EVERY_TYPE(parallel for simd schedule(simd : dynamic, chunk))
  EVERY_TYPE(parallel for simd schedule(simd, monotonic : guided))
  EVERY_TYPE(parallel for schedule(simd : guided, 5))
  EVERY_TYPE(teams distribute parallel for simd schedule(simd : static, 5))
  EVERY_TYPE(teams distribute parallel for schedule(static, 1))
  EVERY_TYPE(teams distribute parallel for num_teams(2) schedule(static, 1))
  EVERY_TYPE(teams distribute parallel for num_teams(2) dist_schedule(static, 20) schedule(static, 1))
#ifdef __clang__ /* GCC's own sums overflow */
  LOOP(parallel for simd schedule(simd : static, 5), int, INT_MAX - 3 * N)
  LOOP(parallel for simd schedule(simd : static, 5), unsigned, UINT_MAX - 3 * N)
  LOOP(parallel for simd schedule(simd : static, 5), long long, LLONG_MAX - 3 * N)
#endif
  for (int kind = omp_sched_static; kind <= omp_sched_auto; ++kind) {
    omp_set_schedule(kind, chunk);
    EVERY_TYPE(parallel for simd schedule(simd : runtime))
  }
  in_chunks();
  return verdict();
}
