/* task, taskwait, taskgroup, taskyield: each task is executed once, with its own data, and is complete after a wait for it. */
#include "check.h"
#include <omp.h>
#include <string.h>

enum { TASKS = 200 };

static void each_once(void) {
  int times[TASKS] = {0};
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < TASKS; ++i) {
#pragma omp task firstprivate(i) shared(times)
    add(&times[i], 1);
  }
  for (int i = 0; i < TASKS; ++i) CHECK(times[i] == 1);
}

static void by_all(int rounds) {
  int done = 0;
#pragma omp parallel
  {
    for (int i = 0; i < rounds; ++i) {
#pragma omp task
      add(&done, 1);
    }
#pragma omp barrier
    CHECK(done == rounds * omp_get_num_threads()); /* a barrier waits for tasks */
  }
}

static void taskwait_is_for_ones_own_children(void) {
#pragma omp parallel
  {
    int done = 0;
    for (int i = 0; i < 20; ++i) {
#pragma omp task shared(done)
      {
#pragma omp taskyield
        add(&done, 1);
      }
    }
#pragma omp taskwait
    CHECK(done == 20);
  }
}

static void taskgroup_is_for_descendants(void) {
#pragma omp parallel
#pragma omp single
  {
    int done = 0;
#pragma omp taskgroup
    for (int i = 0; i < 10; ++i) {
#pragma omp task shared(done)
      {
        for (int j = 0; j < 5; ++j) {
#pragma omp task shared(done)
          add(&done, 1);
        }
        add(&done, 1);
      }
    }
    CHECK(done == 60);
  }
}

/* A task's firstprivate data, small or large, is copied when the task is created. */
static void data_is_copied(void) {
  struct {
    int numbers[100];
    long double last;
  } large;
  int wrong_ones = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; ++i) {
    for (int k = 0; k < 100; ++k) large.numbers[k] = i;
    large.last = i;
    char small = (char)i;
#pragma omp task firstprivate(large, small, i) shared(wrong_ones)
    {
      for (int k = 0; k < 100; ++k)
        if (large.numbers[k] != i) add(&wrong_ones, 1);
      if (large.last != i || small != i) add(&wrong_ones, 1);
    }
    memset(&large, 0x55, sizeof large);
  }
  CHECK(wrong_ones == 0);
}

static void some_are_done_at_once(int never) {
#pragma omp parallel
#pragma omp single
  {
    int me = omp_get_thread_num(), done = 0;
#pragma omp task if (never) shared(done)
    {
      CHECK(omp_get_thread_num() == me);
      done = 1;
    }
    CHECK(done == 1);
#pragma omp task final(!never) shared(done)
    {
      CHECK(omp_in_final());
      int inner = 0, who = omp_get_thread_num();
#pragma omp task shared(inner)
      {
        CHECK(omp_in_final() && omp_get_thread_num() == who);
        inner = 1;
      }
      CHECK(inner == 1); /* included: executed before the creating task continues */
      done = 2;
    }
#pragma omp taskwait
    CHECK(done == 2);
    CHECK(!omp_in_final());
#pragma omp task mergeable untied priority(5) shared(done)
    done = 3;
#pragma omp taskwait
    CHECK(done == 3);
  }
}

static void outside_of_regions(void) {
  int done = 0;
#pragma omp task shared(done)
  add(&done, 1);
#pragma omp taskwait
#pragma omp taskgroup
  {
#pragma omp task shared(done)
    add(&done, 1);
  }
  CHECK(done == 2);
}

static int fibonacci(int n) {
  if (n < 2) return n;
  int a, b;
#pragma omp task shared(a) firstprivate(n)
  a = fibonacci(n - 1);
#pragma omp task shared(b) firstprivate(n)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

static int depth_first(int depth) {
  int sum = 0;
  if (depth == 0) return 1;
#pragma omp taskgroup
  for (int i = 0; i < 3; ++i) {
#pragma omp task shared(sum) untied
    add(&sum, depth_first(depth - 1));
  }
  return sum;
}

static void trees(void) {
  int tree = 0, groups = 0;
#pragma omp parallel
#pragma omp single
  {
    tree = fibonacci(15);
    groups = depth_first(5);
  }
  CHECK(tree == 610 && groups == 243);
}

/* Many more tasks than any queue holds. */
static void many(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10000; ++i) {
#pragma omp task shared(done)
    add(&done, 1);
  }
  CHECK(done == 10000);
}

typedef double line __attribute__((vector_size(64)));

/* A task's copies keep the alignment of their originals. */
static void copies_are_aligned(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; ++i) {
    _Alignas(64) double numbers[8] = {i};
    line vector = {i};
#pragma omp task firstprivate(numbers, vector)
    {
      volatile double *at = numbers;
      CHECK((size_t)at % 64 == 0 && at[0] == i && vector[0] == i);
    }
  }
}

/* A task begins with its parent's control variables of the moment at which it was generated, and changes only its own. */
static void control_variables_are_inherited(void) {
  omp_set_num_threads(asked());
#pragma omp parallel
  {
    const int outer = omp_get_max_threads(), own = 100 + omp_get_thread_num();
    for (int i = 0; i < 20; ++i) {
#pragma omp task firstprivate(i)
      {
        CHECK(omp_get_max_threads() == outer);
        if (i % 3 == 0) omp_set_num_threads(50 + i);
#pragma omp task
        CHECK(omp_get_max_threads() == (i % 3 == 0 ? 50 + i : outer));
#pragma omp taskwait
        CHECK(omp_get_max_threads() == (i % 3 == 0 ? 50 + i : outer));
      }
    }
    omp_set_num_threads(own);
    for (int i = 0; i < 20; ++i) {
#pragma omp task firstprivate(own)
      {
        CHECK(omp_get_max_threads() == own);
        omp_set_num_threads(7);
      }
    }
#pragma omp taskwait
    CHECK(omp_get_max_threads() == own);
  }
  CHECK(omp_get_max_threads() == asked());
}

int main(void) {
  for (int i = 0; i < 10; ++i) {
    control_variables_are_inherited();
    each_once();
    by_all(20);
    taskwait_is_for_ones_own_children();
    taskgroup_is_for_descendants();
    data_is_copied();
    copies_are_aligned();
    some_are_done_at_once(0);
  }
  outside_of_regions();
  trees();
  many();
  return verdict();
}
