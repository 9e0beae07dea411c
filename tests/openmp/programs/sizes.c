/* Team sizes that change from region to region: each member executes each region exactly once. */
#include "check.h"
#include <omp.h>

enum { MOST = 64 };

static void region(int size) {
  int seen[MOST] = {0}, sum = 0;
#pragma omp parallel num_threads(size)
  {
    CHECK(omp_get_num_threads() == size);
    add(&seen[omp_get_thread_num()], 1);
#pragma omp barrier
#pragma omp for schedule(static, 1)
    for (int i = 0; i < size; ++i) CHECK(seen[i] == 1);
#pragma omp for reduction(+ : sum) schedule(dynamic, 2)
    for (int i = 0; i < 20; ++i) sum += i;
    CHECK(sum == 190);
  }
  for (int i = 0; i < MOST; ++i) CHECK(seen[i] == (i < size));
}

int main(void) {
  int team = asked();
  unsigned random = 1;
  for (int i = 0; i < 300; ++i) {
    random = random * 1103515245u + 12345u;
    region(1 + (int)(random >> 16) % team);
  }
  for (int size = 1; size <= team; ++size) region(size);
  for (int size = team; size >= 1; --size) region(size);
  for (int i = 0; i < 50; ++i) region(i % 2 ? team : 1);
  for (int i = 0; i < 5; ++i) region(team + 3);
  region(team);
  return verdict();
}
