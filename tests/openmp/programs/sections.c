/* sections: each is executed once, whether there are more sections than threads or fewer. */
#include "check.h"
#include <omp.h>

static int times[8];

#define SECTION(n) PRAGMA(omp section) add(&times[n], 1);

static void each_once(int count, int rounds) {
  for (int i = 0; i < 8; ++i) {
    CHECK(times[i] == (i < count ? rounds : 0));
    times[i] = 0;
  }
}

int main(void) {
  int rounds = 100;
#pragma omp parallel
  {
    for (int i = 0; i < rounds; ++i) {
#pragma omp sections
      {
        SECTION(0) SECTION(1) SECTION(2) SECTION(3) SECTION(4) SECTION(5) SECTION(6) SECTION(7)
      }
      CHECK(__atomic_load_n(&times[7], __ATOMIC_RELAXED) >= i + 1);
    }
#pragma omp barrier
#pragma omp single
    each_once(8, rounds);
    for (int i = 0; i < rounds; ++i) {
#pragma omp sections nowait
      {
        SECTION(0) SECTION(1)
      }
    }
#pragma omp barrier
#pragma omp single
    each_once(2, rounds);
#pragma omp sections
    {
      SECTION(0)
    }
  }
  each_once(1, 1);
  int given = 3, left = 0;
#pragma omp parallel sections firstprivate(given) lastprivate(left) reduction(+ : rounds) num_threads(2)
  {
    {
      rounds += given;
      left = 1;
    }
#pragma omp section
    {
      rounds += given;
      left = 2;
    }
  }
  CHECK(rounds == 106 && left == 2);
#pragma omp sections
  { /* outside of all regions: a team of one thread */
    SECTION(0) SECTION(1) SECTION(2)
  }
  each_once(3, 1);
  return verdict();
}
