/* A league without clauses: its size comes from OMP_NUM_TEAMS and OMP_TEAMS_THREAD_LIMIT. */
#include "check.h"
#include <omp.h>

int main(void) {
  const char *teams = getenv("OMP_NUM_TEAMS"), *limit = getenv("OMP_TEAMS_THREAD_LIMIT");
  CHECK(omp_get_max_teams() == (teams != NULL ? atoi(teams) : 0));
  CHECK(omp_get_teams_thread_limit() == (limit != NULL ? atoi(limit) : 0));
  int count = 0, most = 0;
#pragma omp teams reduction(+ : count)
  {
    count += 1;
#pragma omp parallel
    {
#pragma omp single
      if (omp_get_num_threads() > __atomic_load_n(&most, __ATOMIC_RELAXED))
        __atomic_store_n(&most, omp_get_num_threads(), __ATOMIC_RELAXED);
    }
  }
  CHECK(count >= 1 && (teams == NULL || count == atoi(teams)));
  CHECK(most >= 1 && (limit == NULL || most <= atoi(limit)));
  return verdict();
}
