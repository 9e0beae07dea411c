/* taskloop, and task reductions. */
#include "check.h"
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
    reductions();
    of_a_region();
  }
  return verdict();
}
