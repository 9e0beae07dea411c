/* for: iterations that a thread cannot begin soon are executed by others, whatever the schedule that shares them out; and what
   holds all the same. A thread that keeps its iterations to itself makes this program wait for ever. */
#include "check.h"
#include <omp.h>
#include <sched.h>
#include <string.h>

enum { N = 300, CHUNK = 7 };
static int done, by[N], times[N];

static void wait_for(int *counter, int value) {
  while (__atomic_load_n(counter, __ATOMIC_ACQUIRE) < value) sched_yield();
}
static void execute(int i) {
  add(&times[i], 1);
  __atomic_store_n(&by[i], omp_get_thread_num(), __ATOMIC_RELAXED);
  __atomic_fetch_add(&done, 1, __ATOMIC_RELEASE);
}
static void all_once(int count) {
  for (int i = 0; i < N; ++i) CHECK(times[i] == count);
  memset(times, 0, sizeof times);
  done = 0;
}

/* The first iteration of this thread lasts until all other chunks are executed. It comes to the loop when so many are: then its
   first chunk may be another thread's. */
#define WHILE_ONE_IS_BUSY(clause, chunk, monotonic)                                                       \
  for (int busy = 0, late = 0; busy < asked() && busy < 4; late = (late + 40) % 280, busy += late == 0) { \
    PRAGMA(omp parallel) {                                                                                \
      int first = 1, last = -1;                                                                           \
      if (omp_get_thread_num() == busy) wait_for(&done, late);                                            \
      PRAGMA(omp for clause) for (int i = 0; i < N; ++i) {                                                \
        if (first && omp_get_thread_num() == busy) wait_for(&done, N - (chunk));                          \
        first = 0;                                                                                        \
        CHECK(!(monotonic) || i > last);                                                                  \
        last = i;                                                                                         \
        execute(i);                                                                                       \
      }                                                                                                   \
    }                                                                                                     \
    for (int i = 0; i < N; ++i) CHECK(by[i] == by[i / (chunk) * (chunk)]);                                \
    all_once(1);                                                                                          \
  }

static void one_is_busy(void) {
  int chunk = CHUNK;
  WHILE_ONE_IS_BUSY(schedule(dynamic), 1, 0)
  WHILE_ONE_IS_BUSY(schedule(dynamic, chunk), CHUNK, 0)
  WHILE_ONE_IS_BUSY(schedule(nonmonotonic : dynamic), 1, 0)
  WHILE_ONE_IS_BUSY(schedule(monotonic : dynamic), 1, 1)
  WHILE_ONE_IS_BUSY(schedule(monotonic : dynamic, chunk), CHUNK, 1)
  omp_set_schedule(omp_sched_dynamic, CHUNK);
  WHILE_ONE_IS_BUSY(schedule(runtime), CHUNK, 0)
  WHILE_ONE_IS_BUSY(schedule(nonmonotonic : runtime), CHUNK, 0)
  WHILE_ONE_IS_BUSY(schedule(monotonic : runtime), CHUNK, 1)
  omp_set_schedule((omp_sched_t)(omp_sched_dynamic | omp_sched_monotonic), 1);
  WHILE_ONE_IS_BUSY(schedule(runtime), 1, 1)
}

/* One thread comes to the loops when the others have executed them. */
#define WHILE_ONE_IS_AWAY(clause)                                      \
  for (int away = 0; away < asked() && away < 4; ++away) {             \
    PRAGMA(omp parallel) {                                             \
      if (omp_get_thread_num() == away) wait_for(&done, 5 * N);        \
      for (int loop = 0; loop < 5; ++loop) {                           \
        PRAGMA(omp for clause nowait) for (int i = 0; i < N; ++i) {    \
          CHECK(omp_get_thread_num() != away);                         \
          execute(i);                                                  \
        }                                                              \
      }                                                                \
    }                                                                  \
    all_once(5);                                                       \
  }

static void one_is_away(void) {
  int chunk = CHUNK;
  WHILE_ONE_IS_AWAY(schedule(dynamic))
  WHILE_ONE_IS_AWAY(schedule(dynamic, chunk))
  WHILE_ONE_IS_AWAY(schedule(guided))
  WHILE_ONE_IS_AWAY(schedule(guided, chunk))
  WHILE_ONE_IS_AWAY(schedule(monotonic : dynamic))
  WHILE_ONE_IS_AWAY(schedule(monotonic : guided))
}

static void compute(int turns) {
  for (int i = 0; i < turns; ++i) __asm__ volatile("" : : "r"(i));
}

/* Compilers assume that the thread which has executed the last iteration executes none after it. */
static void the_last_iteration_is_the_last(void) {
  for (int round = 0; round < episodes(400); ++round) {
    int last = -1, chunk = 1 + round % 3, n = 20 + round % 80;
#pragma omp parallel for schedule(dynamic, chunk) lastprivate(last)
    for (int i = 0; i < n; ++i) {
      compute(i < n / 2 ? 2000 : 0); /* the thread with the second half is through early, and steals */
      last = i;
    }
    CHECK(last == n - 1);
#pragma omp parallel for schedule(guided) lastprivate(last)
    for (int i = 0; i < n; ++i) {
      compute(i < n / 2 ? 2000 : 0);
      last = i;
    }
    CHECK(last == n - 1);
  }
}

/* The same slots, teams and parts for loops of all kinds, with fewer iterations than threads, too. */
static void one_after_another(void) {
  static const int counts[] = {1, 2, 3, 0, 5, 40, 7, 1, 33, 200};
  int sums[10] = {0}, rounds = episodes(200);
#pragma omp parallel
  for (int round = 0; round < rounds; ++round)
    for (int loop = 0; loop < 10; ++loop) {
      int n = counts[loop];
      if (loop % 3 == 0) {
#pragma omp for schedule(dynamic) nowait
        for (int i = 0; i < n; ++i) add(&sums[loop], i + 1);
      } else if (loop % 3 == 1) {
#pragma omp for schedule(guided, 2) nowait
        for (int i = 0; i < n; ++i) add(&sums[loop], i + 1);
      } else {
#pragma omp for schedule(monotonic : dynamic, 3) nowait
        for (int i = 0; i < n; ++i) add(&sums[loop], i + 1);
      }
    }
  for (int loop = 0; loop < 10; ++loop) CHECK(sums[loop] == rounds * counts[loop] * (counts[loop] + 1) / 2);
}

int main(void) {
  omp_set_dynamic(0);
  if (asked() > 1) {
    one_is_busy();
    one_is_away();
  }
  the_last_iteration_is_the_last();
  one_after_another();
  return verdict();
}
