/* task depend: a task is executed after the tasks that it depends on; taskwait depend. */
#include "check.h"
#include <omp.h>

static void a_chain(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; ++i) {
#pragma omp task depend(inout : value) shared(value) firstprivate(i)
    {
      CHECK(value == i);
      value = i + 1;
    }
  }
  CHECK(value == 100);
}

/* Readers are executed after the preceding writer, and before the next one. */
static void readers_and_writers(void) {
  int value = 0, readers = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 1; i <= 20; ++i) {
#pragma omp task depend(out : value) shared(value, readers) firstprivate(i)
    {
      CHECK(readers == 5 * (i - 1));
      value = i;
    }
    for (int k = 0; k < 5; ++k) {
#pragma omp task depend(in : value) shared(value, readers) firstprivate(i)
      {
        CHECK(value == i);
        add(&readers, 1);
      }
    }
  }
  CHECK(readers == 100);
}

static void exclusive_ones_are_one_at_a_time(void) {
  int value = 0, inside = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 50; ++i) {
#pragma omp task depend(mutexinoutset : value) shared(value, inside)
      {
        CHECK(__atomic_fetch_add(&inside, 1, __ATOMIC_RELAXED) == 0);
        value += 1;
        __atomic_fetch_sub(&inside, 1, __ATOMIC_RELAXED);
      }
    }
#pragma omp task depend(in : value) shared(value)
    CHECK(value == 50);
  }
}

/* A wavefront over a field: each task depends on its neighbours above and to the left. */
static void a_wave(void) {
  enum { N = 12 };
  static long paths[N + 1][N + 1];
  for (int i = 0; i <= N; ++i)
    for (int j = 0; j <= N; ++j) paths[i][j] = i == 0 && j == 1;
#pragma omp parallel
#pragma omp single
  for (int i = 1; i <= N; ++i)
    for (int j = 1; j <= N; ++j) {
#pragma omp task depend(in : paths[i - 1][j], paths[i][j - 1]) depend(out : paths[i][j]) firstprivate(i, j)
      paths[i][j] = paths[i - 1][j] + paths[i][j - 1];
    }
  CHECK(paths[N][N] == 705432); /* C(22, 11) */
}

static void waited_for_by_what_they_write(void) {
#pragma omp parallel
#pragma omp single
  {
    int a = 0, b = 0;
#pragma omp task depend(out : a) shared(a)
    a = 1;
#pragma omp task depend(out : b) shared(b)
    b = 1;
#pragma omp taskwait depend(in : a)
    CHECK(__atomic_load_n(&a, __ATOMIC_RELAXED) == 1);
#pragma omp task depend(in : b) if (0) shared(b)
    CHECK(b == 1); /* undeferred, but still after the task that it depends on */
#pragma omp taskwait
  }
}

/* Only siblings depend on each other. */
static void children_depend_on_their_own(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; ++i) {
#pragma omp task shared(sum)
    {
      int own = 0;
      for (int k = 0; k < 10; ++k) {
#pragma omp task depend(inout : own) shared(own)
        own += 1;
      }
#pragma omp taskwait
      CHECK(own == 10);
      add(&sum, own);
    }
  }
  CHECK(sum == 100);
}

int main(void) {
  for (int i = 0; i < 10; ++i) {
    a_chain();
    readers_and_writers();
    exclusive_ones_are_one_at_a_time();
    a_wave();
    waited_for_by_what_they_write();
    children_depend_on_their_own();
  }
  return verdict();
}
