/* Target constructs that name the host as their device are executed there, even if OMP_TARGET_OFFLOAD is mandatory. */
#include "check.h"
#include <omp.h>

int main(void) {
  const int initial = omp_get_initial_device();
  int value = 0;
#pragma omp target device(initial) map(tofrom : value)
  value += 1;
#pragma omp target data device(initial) map(tofrom : value)
  value += 1;
#pragma omp target update device(initial) to(value)
#pragma omp target enter data device(initial) map(to : value)
#pragma omp target exit data device(initial) map(from : value)
#pragma omp target if (0) map(tofrom : value)
  value += 1;
  omp_set_default_device(initial);
#pragma omp target map(tofrom : value)
  value += 1;
  CHECK(value == 4);
  return verdict();
}
