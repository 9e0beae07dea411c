/* Leagues: the numbers of their teams and threads; the control variables are restored afterwards. */
#include "check.h"
#include <omp.h>

enum { N = 100 };

static void as_asked(int teams, int limit) {
  int met[8] = {0}, members = 0, times[N] = {0}, most = 0;
#pragma omp teams num_teams(teams) thread_limit(limit)
  {
    CHECK(omp_get_num_teams() >= 1 && omp_get_num_teams() <= teams);
    add(&met[omp_get_team_num()], 1);
    if (omp_get_team_num() == 0) __atomic_store_n(&most, omp_get_num_teams(), __ATOMIC_RELAXED);
#pragma omp parallel
    {
      CHECK(omp_get_num_threads() <= limit);
      CHECK(omp_get_team_num() >= 0 && omp_get_team_num() < omp_get_num_teams());
      add(&members, 1);
    }
#pragma omp distribute
    for (int i = 0; i < N; ++i) add(&times[i], 1);
#pragma omp distribute dist_schedule(static, 3)
    for (int i = 0; i < N; ++i) add(&times[i], 1);
#pragma omp distribute parallel for dist_schedule(static, 7) schedule(dynamic, 2)
    for (int i = 0; i < N; ++i) add(&times[i], 1);
#pragma omp distribute parallel for schedule(static, 2)
    for (int i = N; i > 0; i -= 2) {
      add(&times[i - 1], 1);
      add(&times[i - 2], 1);
    }
  }
  for (int i = 0; i < 8; ++i) CHECK(met[i] == (i < most));
  for (int i = 0; i < N; ++i) CHECK(times[i] == 4);
  CHECK(members >= most && members <= most * limit);
  CHECK(omp_get_num_teams() == 1 && omp_get_team_num() == 0 && omp_get_thread_limit() > limit);
}

static void reduced(void) {
  int teams = 0, members = 0, sum = 0;
#pragma omp teams num_teams(3) reduction(+ : teams, members)
  {
    teams += 1;
#pragma omp parallel reduction(+ : members)
    members += 1;
  }
  CHECK(teams >= 1 && teams <= 3 && members >= teams);
#pragma omp teams distribute parallel for num_teams(3) reduction(+ : sum)
  for (int i = 0; i < N; ++i) sum += i;
  CHECK(sum == N * (N - 1) / 2);
}

static void as_said_before(void) {
  CHECK(omp_get_max_teams() == 0 && omp_get_teams_thread_limit() == 0);
  omp_set_num_teams(2);
  omp_set_teams_thread_limit(3);
  CHECK(omp_get_max_teams() == 2 && omp_get_teams_thread_limit() == 3);
#pragma omp teams
  {
    CHECK(omp_get_num_teams() >= 1 && omp_get_num_teams() <= 2);
#pragma omp parallel
    CHECK(omp_get_num_threads() <= 3);
  }
}

int main(void) {
  for (int i = 0; i < 10; ++i) {
    as_asked(1, 2);
    as_asked(2, 3);
    as_asked(5, 1);
    reduced();
  }
  as_said_before();
  return verdict();
}
