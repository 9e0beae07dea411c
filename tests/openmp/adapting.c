// Regions that are begun so often that the runtime tries on how many processors they compute: they stay what they are.
#include "programs/check.h"

#include <omp.h>
#include <stdlib.h>

enum { rounds = 80000 };

static long sums(int round) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 16; ++i) sum += i + round;
  return sum;
}

static int ordered_in(void) {
  int next = 0, in_order = 1;
#pragma omp parallel for ordered schedule(static, 1) shared(next, in_order)
  for (int i = 0; i < 8; ++i)
#pragma omp ordered
  {
    if (next++ != i) in_order = 0;
  }
  return in_order;
}

static int between_barriers(void) {
  int seen[64] = {0}, wrong = 0, members = 0;
#pragma omp parallel reduction(+ : wrong)
  {
    const int me = omp_get_thread_num();
#pragma omp single
    members = omp_get_num_threads();
    seen[me] = 1;
#pragma omp barrier
    for (int m = 0; m < members; ++m) wrong += !seen[m];
#pragma omp barrier
    seen[me] = 2;
#pragma omp barrier
    wrong += seen[(me + 1) % members] != 2;
  }
  return wrong;
}

static int tasks(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 8; ++i)
#pragma omp task
  {
#pragma omp atomic
    ++done;
  }
  return done;
}

static int nested(void) {
  int inner = 0;
#pragma omp parallel num_threads(2) reduction(+ : inner)
  {
    int here = 0;
#pragma omp parallel num_threads(2) reduction(+ : here)
    here += omp_get_level();
    inner += here;
  }
  return inner;
}

/// Members that wait for each other in a loop of their own.
static int spin(void) {
  int turn = 0;
#pragma omp parallel num_threads(2)
  {
    const int me = omp_get_thread_num(), members = omp_get_num_threads();
    for (int now = -1; now != me;) {
#pragma omp atomic read
      now = turn;
    }
#pragma omp atomic write
    turn = (me + 1) % 64;
    if (members == 1) turn = 2;
  }
  return turn;
}

/// usage: adapting [SECONDS]: for so long at least
int main(int count, char **words) {
  const double end = omp_get_wtime() + (count > 1 ? atof(words[1]) : 0);
  omp_set_max_active_levels(2);
  for (int r = 0; r < rounds || (r % 64 != 0 || omp_get_wtime() < end); ++r) {
    CHECK(sums(r) == 120 + 16L * r);
    CHECK(between_barriers() == 0);
    CHECK(tasks() == 8);
    if (r % 8 == 0) CHECK(ordered_in() == 1);
    if (r % 64 == 0) {
      const int inner = nested();
      CHECK(inner == 8 || inner == 4 || inner == 2 || inner == 1);
      CHECK(spin() == 2);
    }
  }
  return verdict();
}
