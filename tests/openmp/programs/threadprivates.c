/* threadprivate: each thread has its own copy, which persists from region to region; copyin. */
#include "check.h"
#include <omp.h>

static int own = 11;
static struct {
  int numbers[40];
  double last;
} much;
#pragma omp threadprivate(own, much)

int main(void) {
  omp_set_dynamic(0);
  int team = asked();
#pragma omp parallel
  {
    CHECK(own == 11);
    own = 100 + omp_get_thread_num();
    much.numbers[39] = own;
  }
  for (int i = 0; i < 5; ++i) {
#pragma omp parallel
    {
      CHECK(own == 100 + omp_get_thread_num() + i * 1000 && much.numbers[39] == 100 + omp_get_thread_num());
      own += 1000;
    }
  }
  own = 7;
  much.last = 0.5;
#pragma omp parallel copyin(own, much)
  {
    CHECK(own == 7 && much.last == 0.5 && much.numbers[39] == 100);
#pragma omp barrier
    own = omp_get_thread_num();
  }
  CHECK(own == 0);
  int *addresses[64] = {0};
#pragma omp parallel
  addresses[omp_get_thread_num()] = &own;
  for (int i = 0; i < team; ++i)
    for (int j = 0; j < i; ++j) CHECK(addresses[i] != addresses[j]);
  CHECK(addresses[0] == &own);
  return verdict();
}
