/* teams and distribute on the host: leagues whose size is the runtime's choice. */
#include "check.h"
#include <omp.h>

enum { N = 200 };
static int times[N];

static void each_once(void) {
  for (int i = 0; i < N; ++i) {
    CHECK(times[i] == 1);
    times[i] = 0;
  }
}

int main(void) {
  int leagues = 0, members = 0, size = 0;
#pragma omp teams num_teams(2) thread_limit(4) reduction(+ : leagues)
  {
    CHECK(omp_get_num_teams() >= 1 && omp_get_num_teams() <= 2);
    CHECK(omp_get_team_num() >= 0 && omp_get_team_num() < omp_get_num_teams());
    if (omp_get_team_num() == 0) size = omp_get_num_teams();
    leagues += 1;
#pragma omp parallel
    {
      CHECK(omp_get_num_threads() <= 4);
      add(&members, 1);
    }
  }
  CHECK(leagues == size && members >= size && members <= 4 * size);
  CHECK(omp_get_num_teams() == 1 && omp_get_team_num() == 0);
#pragma omp teams
#pragma omp distribute
  for (int i = 0; i < N; ++i) add(&times[i], 1);
  each_once();
#pragma omp teams num_teams(2)
#pragma omp distribute dist_schedule(static, 7)
  for (long i = N - 1; i >= 0; --i) add(&times[i], 1);
  each_once();
#pragma omp teams num_teams(2)
#pragma omp distribute parallel for schedule(static)
  for (int i = 0; i < N; ++i) add(&times[i], 1);
  each_once();
  int sum = 0;
#pragma omp teams distribute parallel for collapse(2) schedule(dynamic, 3) reduction(+ : sum)
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < N / 10; ++j) {
      add(&times[N / 10 * i + j], 1);
      sum += 1;
    }
  each_once();
  CHECK(sum == N);
  return verdict();
}
