/* taskloop, and task reductions. */
#include "check.h"
#include <limits.h>
#include <omp.h>
#include <string.h>

enum { MOST = 500 };
typedef unsigned long long u64;
static int times[MOST];

static void met(long long number) {
  CHECK(number >= 0 && number < MOST);
  if (number >= 0 && number < MOST) add(&times[number], 1);
}

static void all_met(int count) {
  int good = 1;
  for (int i = 0; i < MOST; ++i) good &= times[i] == (i < count);
  CHECK(good);
  memset(times, 0, sizeof times);
}

#define IN_TASKS(clause)                                                   \
  {                                                                        \
    PRAGMA(omp taskloop clause)                                            \
    for (int i = -100; i < 200; ++i) met(i + 100);                         \
    all_met(300);                                                          \
    PRAGMA(omp taskloop clause)                                            \
    for (long long i = 1000; i > 0; i -= 7) met((1000 - i) / 7);           \
    all_met(143);                                                          \
    PRAGMA(omp taskloop clause)                                            \
    for (u64 i = high; i < high + 100; ++i) met((long long)(i - high));    \
    all_met(100);                                                          \
  }

static void loops(void) {
  int five = 5;
  unsigned three = 3;
  u64 high = (1ull << 63) - 50;
#pragma omp parallel
#pragma omp single
  {
    IN_TASKS(default(shared))
    IN_TASKS(grainsize(five))
    IN_TASKS(grainsize(1000))
    IN_TASKS(num_tasks(five))
    IN_TASKS(num_tasks(1))
    IN_TASKS(num_tasks(1000))
    IN_TASKS(if (five == 4))
    IN_TASKS(final(five == 5) grainsize(10))
    IN_TASKS(untied mergeable priority(2))
#pragma omp taskgroup
    {
#pragma omp taskloop nogroup
      for (int i = 0; i < 100; ++i) met(i);
    }
    all_met(100);
#pragma omp taskloop collapse(2) grainsize(three)
    for (int i = 0; i < 10; ++i)
      for (int j = 0; j < 20; ++j) met(20 * i + j);
    all_met(200);
#pragma omp taskloop
    for (unsigned i = 3; i < three; ++i) met(i);
    all_met(0);
    int left = 0, given = 9;
#pragma omp taskloop lastprivate(left) firstprivate(given) num_tasks(7)
    for (int i = 0; i < 64; ++i) left = i + given;
    CHECK(left == 72);
  }
}

/* Where each task begins, and how many iterations it has: each has a copy of `here` from which it is told apart. */
static int begun[MOST], tasks_begun, of_task[MOST];

#define COUNTED(clause, count)                                                                                 \
  {                                                                                                            \
    int here = -1;                                                                                             \
    tasks_begun = 0;                                                                                           \
    memset(of_task, 0, sizeof of_task);                                                                        \
    PRAGMA(omp taskloop firstprivate(here) clause)                                                             \
    for (int i = 0; i < count; ++i) {                                                                          \
      if (here < 0) begun[here = __atomic_fetch_add(&tasks_begun, 1, __ATOMIC_RELAXED)] = i;                   \
      add(&of_task[here], 1);                                                                                  \
    }                                                                                                          \
  }

static void sizes_of_tasks(int seven) {
#pragma omp parallel
#pragma omp single
  {
    COUNTED(grainsize(seven), 100)
    for (int i = 0; i < tasks_begun; ++i) CHECK(of_task[i] >= 7 && of_task[i] < 14);
    COUNTED(num_tasks(seven), 100)
    CHECK(tasks_begun == 7);
    COUNTED(num_tasks(seven), 5)
    CHECK(tasks_begun == 5);
#ifndef __clang__ /* Clang 19 drops `strict` */
    COUNTED(grainsize(strict : seven), 100)
    CHECK(tasks_begun == 15);
    for (int i = 0; i < tasks_begun; ++i) CHECK(begun[i] % 7 == 0 && of_task[i] == (begun[i] == 98 ? 2 : 7));
    COUNTED(num_tasks(strict : seven), 100)
    CHECK(tasks_begun == 7);
    for (int i = 0; i < 7; ++i) CHECK(of_task[i] == 14 || of_task[i] == 15);
#endif
  }
}

/* Bounds near the ends of the type, and steps of great parts of it. */
static void widest_bounds(void) {
  const u64 top = ~0ull;
  const long long least = LLONG_MIN;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(3)
    for (u64 i = top - 102; i < top; i += 3) met((long long)(i - (top - 102)) / 3);
    all_met(34);
#pragma omp taskloop num_tasks(5)
    for (u64 i = top; i > top - 100; i -= 7) met((long long)(top - i) / 7);
    all_met(15);
#pragma omp taskloop num_tasks(7)
    for (u64 i = 5; i <= top - (1ull << 62); i += 1ull << 58) met((long long)(i >> 58));
    all_met(48);
#pragma omp taskloop grainsize(2)
    for (long long i = least; i < least / 2; i += 1ll << 57) met((i - least) >> 57);
    all_met(32);
#pragma omp taskloop
    for (u64 i = 7; i > 7; --i) met(0);
    all_met(0);
  }
}

static void reductions(void) {
  long sum = 1;
  int most = -1, sums[5] = {0};
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop reduction(+ : sum, sums) reduction(max : most) grainsize(3)
    for (int i = 0; i < 100; ++i) {
      sum += i;
      sums[i % 5] += 1;
      if (i * 7 % 101 > most) most = i * 7 % 101;
    }
    CHECK(sum == 4951 && most == 100 && sums[0] == 20 && sums[4] == 20);
#pragma omp taskgroup task_reduction(+ : sum)
    {
      for (int i = 0; i < 50; ++i) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
        sum += i;
      }
#pragma omp taskloop in_reduction(+ : sum) nogroup
      for (int i = 0; i < 50; ++i) sum += i;
    }
    CHECK(sum == 4951 + 2 * 1225);
  }
}

static void of_a_region(void) {
  long sum = 0;
#pragma omp parallel reduction(task, + : sum)
  {
    sum += 1;
    for (int i = 0; i < 10; ++i) {
#pragma omp task in_reduction(+ : sum)
      sum += 2;
    }
  }
  CHECK(sum == 21 * asked());
  sum = 0;
#pragma omp parallel
#pragma omp for reduction(task, + : sum) schedule(dynamic)
  for (int i = 0; i < 20; ++i) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
    sum += i;
  }
  CHECK(sum == 190);
}

int main(void) {
  for (int i = 0; i < 3; ++i) {
    loops();
    sizes_of_tasks(7);
    widest_bounds();
    reductions();
    of_a_region();
  }
  return verdict();
}
