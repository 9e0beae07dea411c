/* Teams of many sizes in turn, larger than those that one line releases: each member executes each region, each iteration, each
 * turn and each task once. */
#include "check.h"
#include <omp.h>

enum { MOST = 140 };

static void region(int size) {
  int seen[MOST] = {0}, iterations = 0, tasks = 0, turn = 0, in_order = 1, posted[200] = {0};
#pragma omp parallel num_threads(size)
  {
    add(&seen[omp_get_thread_num()], 1);
#pragma omp for schedule(nonmonotonic : dynamic, 1)
    for (int i = 0; i < 1000; ++i) add(&iterations, 1);
#pragma omp for ordered schedule(dynamic, 3)
    for (int i = 0; i < 300; ++i) {
#pragma omp ordered
      {
        in_order = in_order && turn == i;
        ++turn;
      }
    }
#pragma omp for ordered(1) schedule(static, 1)
    for (int i = 0; i < 200; ++i) {
#pragma omp ordered depend(sink : i - 1)
      posted[i] = i == 0 ? 1 : posted[i - 1] + 1;
#pragma omp ordered depend(source)
    }
#pragma omp for ordered schedule(guided) nowait
    for (int i = 0; i < 300; ++i) {
#pragma omp ordered
      {
        in_order = in_order && turn == 300 + i;
        ++turn;
      }
    }
    if (omp_get_thread_num() % 8 == 3)
      for (int i = 0; i < 40; ++i) {
#pragma omp task shared(tasks)
        add(&tasks, 1);
      }
  }
  for (int i = 0; i < MOST; ++i) CHECK(seen[i] == (i < size));
  CHECK(iterations == 1000 && turn == 600 && in_order && posted[199] == 200);
  CHECK(tasks == (size + 4) / 8 * 40);
}

int main(void) {
  static const int sizes[] = {3, 16, 17, 20, 18, 64, 2, 65, 40, 73, 5, MOST, 72, 17, 130, 16, MOST};
  for (int round = 0; round < 2; ++round)
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; ++i) region(sizes[i]);
  return verdict();
}
