/* cancel: if OMP_CANCELLATION is unset, nothing is cancelled and the program continues. */
#include "check.h"
#include <omp.h>

int main(void) {
  CHECK(!omp_get_cancellation());
  int after = 0, iterations = 0, sections = 0, tasks = 0;
  for (int round = 0; round < 20; ++round) {
#pragma omp parallel
    {
#pragma omp cancel parallel if (omp_get_thread_num() == 0)
#pragma omp cancellation point parallel
#pragma omp barrier
      add(&after, 1);
    }
#pragma omp parallel
    {
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 50; ++i) {
#pragma omp cancel for if (i == 3)
#pragma omp cancellation point for
        add(&iterations, 1);
      }
#pragma omp sections
      {
#pragma omp section
        {
#pragma omp cancel sections
          add(&sections, 1);
        }
#pragma omp section
        {
#pragma omp cancellation point sections
          add(&sections, 1);
        }
      }
#pragma omp single
#pragma omp taskgroup
      for (int i = 0; i < 10; ++i) {
#pragma omp task
        {
#pragma omp cancel taskgroup if (i == 2)
#pragma omp cancellation point taskgroup
          add(&tasks, 1);
        }
      }
    }
  }
  CHECK(after == 20 * asked() && iterations == 1000 && sections == 40 && tasks == 200);
  return verdict();
}
