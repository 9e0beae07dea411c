/* ordered outside of a loop that has the clause: there is no order, and no thread waits. */
#include "check.h"
#include <omp.h>

static int executed;

/* Only the execution determines the loop that encloses it. */
static void orphan(void) {
#pragma omp ordered
  add(&executed, 1);
}

int main(void) {
  orphan();
#pragma omp parallel
  {
    orphan();
#pragma omp for
    for (int i = 0; i < 10; ++i) orphan();
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 10; ++i) orphan();
#pragma omp for ordered schedule(dynamic) nowait
    for (int i = 0; i < 10; ++i) {
      orphan();
#pragma omp parallel if (0)
      orphan();
    }
    orphan();
#pragma omp sections
    {
#pragma omp section
      orphan();
#pragma omp section
      orphan();
    }
#pragma omp task
    orphan();
  }
#pragma omp teams num_teams(1)
  orphan();
  CHECK(executed == 3 * asked() + 44);
  return verdict();
}
