/* OMP_ALLOCATOR applies where no allocator is given. */
#include "check.h"
#include <omp.h>
#include <stdint.h>
#include <string.h>

int main(void) {
  const char *said = getenv("OMP_ALLOCATOR");
  const int traits = said != NULL && strstr(said, "alignment=512,pool_size=1000,fallback=null_fb") != NULL;
#pragma omp parallel
#pragma omp critical
  {
    char *p = omp_alloc(700, omp_null_allocator);
    CHECK(p != NULL && (!traits || (uintptr_t)p % 512 == 0));
    char *q = omp_alloc(700, omp_null_allocator);
    CHECK((q == NULL) == traits);
    omp_free(q, omp_null_allocator);
    omp_free(p, omp_null_allocator);
  }
  return verdict();
}
