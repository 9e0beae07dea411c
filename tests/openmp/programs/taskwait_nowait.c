/* taskwait depend(...) nowait: an empty task that others may depend on. */
#include "check.h"
#include <omp.h>

#ifdef __clang__ /* GCC 12 has no such taskwait */
static void later(void) {
#pragma omp parallel
#pragma omp single
  {
    int value = 0, seen = 0, order = 0;
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : value) shared(order)
    add(&order, 0);
#pragma omp taskwait depend(in : value) depend(out : order) nowait
#pragma omp task depend(in : order) shared(value, seen)
    seen = value;
    value = 9;
    omp_fulfill_event(event);
#pragma omp taskwait
    CHECK(seen == 9);
  }
}
#else
static void later(void) {}
#endif

int main(void) {
  for (int i = 0; i < 5; ++i) later();
  return verdict();
}
