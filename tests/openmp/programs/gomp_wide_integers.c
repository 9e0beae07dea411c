/* Fortran's routines for default integers of 64 bits (-fdefault-integer-8), by GCC's names for them: a number that does not fit
   into 32 bits is not truncated to a small one. */
#include "check.h"
#include <omp.h>

int omp_get_ancestor_thread_num_8_(const long *);
int omp_get_team_size_8_(const long *);
void omp_set_num_threads_8_(const long *);
void omp_set_schedule_8_(const int *, const long *);

static const long wide = 1l << 32; /* truncated to 32 bits it is 0 */

int main(void) {
  const long none = 0, outside = -wide, large = wide + 3;
  const int kind = omp_sched_dynamic;
#pragma omp parallel
  {
    const long here = omp_get_level();
    CHECK(omp_get_ancestor_thread_num_8_(&here) == omp_get_thread_num() && omp_get_ancestor_thread_num_8_(&none) == 0);
    CHECK(omp_get_team_size_8_(&here) == omp_get_num_threads() && omp_get_team_size_8_(&none) == 1);
    CHECK(omp_get_ancestor_thread_num_8_(&wide) == -1 && omp_get_ancestor_thread_num_8_(&outside) == -1);
    CHECK(omp_get_team_size_8_(&wide) == -1 && omp_get_team_size_8_(&outside) == -1);
    omp_sched_t set;
    int chunk;
    omp_set_schedule_8_(&kind, &large);
    omp_get_schedule(&set, &chunk);
    CHECK(set == omp_sched_dynamic && chunk == 0x7fffffff);
    omp_set_num_threads_8_(&large);
    CHECK(omp_get_max_threads() == 0x7fffffff);
  }
  return verdict();
}
