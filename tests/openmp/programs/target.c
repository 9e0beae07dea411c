/* target: without a device a region is executed on the host, and mapped variables are present. */
#include "check.h"
#include <omp.h>

enum { N = 100 };
#pragma omp declare target
static int twice(int x) { return 2 * x; }
#pragma omp end declare target

int main(void) {
  CHECK(omp_get_num_devices() == 0 && omp_is_initial_device());
  CHECK(omp_get_default_device() == 0 || omp_get_default_device() == omp_get_initial_device());
  int field[N], sum = 0, given = 3, on_host = -1;
#pragma omp target map(from : field, on_host) firstprivate(given)
  {
    on_host = omp_is_initial_device();
    for (int i = 0; i < N; ++i) field[i] = twice(i) + given;
  }
  CHECK(on_host == 1);
  for (int i = 0; i < N; ++i) CHECK(field[i] == 2 * i + 3);
#pragma omp target teams distribute parallel for map(tofrom : field) map(tofrom : sum) reduction(+ : sum)
  for (int i = 0; i < N; ++i) {
    field[i] -= 3;
    sum += field[i];
  }
  CHECK(sum == N * (N - 1));
#pragma omp target data map(tofrom : field)
  {
#pragma omp target parallel for
    for (int i = 0; i < N; ++i) field[i] += 1;
#pragma omp target update from(field)
    CHECK(field[9] == 19);
  }
#pragma omp target enter data map(to : field)
#pragma omp target exit data map(from : field)
#pragma omp parallel
#pragma omp single
  {
#pragma omp target nowait map(tofrom : field) depend(out : field)
    field[0] = 70;
#pragma omp target nowait map(tofrom : field) depend(inout : field)
    field[0] += 7;
#pragma omp taskwait
    CHECK(field[0] == 77);
  }
#ifndef __clang__ /* LLVM has these routines in its library for devices */
  int *room = omp_target_alloc(64, omp_get_initial_device());
  CHECK(room != NULL);
  omp_target_free(room, omp_get_initial_device());
#endif
  return verdict();
}
