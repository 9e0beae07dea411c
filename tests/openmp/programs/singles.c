/* single, copyprivate, master and masked: exactly one thread executes the construct, and masked selects the thread. */
#include "check.h"
#include <omp.h>

static int own;
#pragma omp threadprivate(own)

int main(void) {
  int rounds = episodes(500), done = 0, unwaited = 0, masters = 0, second = 0;
#pragma omp parallel
  {
    for (int i = 1; i <= rounds; ++i) {
#pragma omp single
      ++done; /* no other thread accesses it: the construct's barrier separates them */
      CHECK(done == i);
#pragma omp barrier
    }
    for (int i = 0; i < rounds; ++i) {
#pragma omp single nowait
      add(&unwaited, 1);
    }
#pragma omp barrier
    CHECK(unwaited == rounds);
#pragma omp barrier
    for (int i = 0; i < rounds; ++i) {
      int a;
      double b[3];
#pragma omp single copyprivate(a, b, own)
      {
        a = i;
        b[0] = b[1] = b[2] = i / 2.0;
        own = 3 * i;
      }
      CHECK(a == i && b[0] == i / 2.0 && b[2] == i / 2.0 && own == 3 * i);
    }
    for (int i = 0; i < rounds; ++i) {
#pragma omp master
      {
        CHECK(omp_get_thread_num() == 0);
        ++masters;
      }
    }
#pragma omp masked filter(1)
    {
      CHECK(omp_get_thread_num() == 1);
      ++second;
    }
#pragma omp masked
    {
      CHECK(omp_get_thread_num() == 0);
      ++masters;
    }
  }
  CHECK(masters == rounds + 1 && second == (asked() > 1));
#pragma omp single
  ++done;
#pragma omp master
  ++done;
  CHECK(done == rounds + 2);
  return verdict();
}
