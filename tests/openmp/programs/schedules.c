/* for: each iteration is executed once, whatever the schedule, the type and the direction. */
#include "iterations.h"
#include <omp.h>

#define EVERY_TYPE(clause)                                                                                   \
  UP(clause, int, -500, <, n, 1, 500 + n)                                                                    \
  UP(clause, unsigned, 7u, <, 7u + 3u * n, 3, n)                                                             \
  UP(clause, long long, -3000000000LL, <, -3000000000LL + 1000000007LL * n, 1000000007LL, n)                 \
  UP(clause, u64, 1ull << 63, <, (1ull << 63) + 5ull * n, 5, n)                                              \
  DOWN(clause, int, n, -500, 1, 500 + n)                                                                     \
  DOWN(clause, long, 100L, 100L - 11L * n, 11, n)                                                            \
  DOWN(clause, u64, ~0ull, ~0ull - 4ull * n, 4, n)                                                           \
  UP(clause, short, 0, <, none, 1, 0)                                                                        \
  DOWN(clause, u64, 0, none, 1, 0)                                                                           \
  UP(clause, int, 5, <, 6, 1000, 1)

static void with(int n, int chunk) {
  int none = 0;
  EVERY_TYPE(schedule(static))
  EVERY_TYPE(schedule(static, 1))
  EVERY_TYPE(schedule(static, chunk))
  EVERY_TYPE(schedule(dynamic))
  EVERY_TYPE(schedule(dynamic, chunk))
  EVERY_TYPE(schedule(guided))
  EVERY_TYPE(schedule(guided, chunk))
  EVERY_TYPE(schedule(auto))
  EVERY_TYPE(schedule(runtime))
  EVERY_TYPE(schedule(monotonic : dynamic, chunk))
  EVERY_TYPE(schedule(nonmonotonic : dynamic, chunk))
  EVERY_TYPE(schedule(monotonic : guided, chunk))
  EVERY_TYPE(schedule(nonmonotonic : guided))
}

/* A static schedule distributes chunks round-robin, and in the same way in the next loop, so no barrier is needed between them.
 */
static void static_is_where_it_should_be(void) {
  static int by[MOST];
#pragma omp parallel
  {
    int team = omp_get_num_threads(), me = omp_get_thread_num(), last = -1;
#pragma omp for schedule(static, 3)
    for (int i = 0; i < 1000; ++i) CHECK(me == i / 3 % team);
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 1000; ++i) {
      CHECK(last == -1 || last == i - 1); /* one block for each member */
      last = i;
      by[i] = me;
    }
#pragma omp for schedule(static)
    for (int i = 0; i < 1000; ++i) CHECK(by[i] == me);
  }
  for (int i = 1; i < 1000; ++i) CHECK(by[i] >= by[i - 1]);
}

static void monotonic_goes_up(void) {
#pragma omp parallel
  {
    int last = -1;
#pragma omp for schedule(monotonic : dynamic, 2)
    for (int i = 0; i < 1000; ++i) {
      CHECK(i > last);
      last = i;
    }
    last = 2000;
#pragma omp for schedule(monotonic : guided)
    for (int i = 1000; i > 0; --i) {
      CHECK(i < last);
      last = i;
    }
  }
}

/* Threads may be several loops apart. */
static void loops_without_barriers(void) {
  enum { LOOPS = 40 };
  int sums[LOOPS] = {0};
#pragma omp parallel
  for (int loop = 0; loop < LOOPS; ++loop) {
    switch (loop % 3) {
      case 0:
#pragma omp for schedule(dynamic, 2) nowait
        for (int i = 0; i < 100; ++i) add(&sums[loop], i);
        break;
      case 1:
#pragma omp for schedule(guided) nowait
        for (long long i = 99; i >= 0; --i) add(&sums[loop], (int)i);
        break;
      default:
#pragma omp for schedule(static, 5) nowait
        for (unsigned i = 0; i < 100; ++i) add(&sums[loop], (int)i);
    }
  }
  for (int loop = 0; loop < LOOPS; ++loop) CHECK(sums[loop] == 4950);
}

/* After a loop's barrier all its iterations have been executed. */
static void a_loop_ends_with_a_barrier(void) {
  int sum = 0;
#pragma omp parallel
  for (int loop = 1; loop <= 50; ++loop) {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 20; ++i) add(&sum, 1);
    CHECK(__atomic_load_n(&sum, __ATOMIC_RELAXED) == 20 * loop);
#pragma omp barrier
  }
}

int main(void) {
  with(300, 7);
  with(1, 1);
  with(40, 1000);
  static_is_where_it_should_be();
  monotonic_goes_up();
  loops_without_barriers();
  a_loop_ends_with_a_barrier();
  return verdict();
}
