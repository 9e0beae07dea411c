/* Teams of a league that execute at the same time, where there are processors for them. */
#include "check.h"
#include <omp.h>
#include <sched.h>

/* The first teams wait for each other. */
static void at_once(int limit) {
  const int procs = omp_get_num_procs(), together = procs / limit < 2 ? 1 : 2;
  int begun = 0, numbers[8] = {0};
#pragma omp teams num_teams(8) thread_limit(limit) shared(begun, numbers)
  {
    add(&begun, 1);
    while (__atomic_load_n(&begun, __ATOMIC_ACQUIRE) < together) sched_yield();
    CHECK(omp_get_num_teams() == 8);
    add(&numbers[omp_get_team_num()], 1);
    int members = 0;
#pragma omp parallel
    {
      add(&members, 1);
      CHECK(omp_get_level() == 1 && omp_get_ancestor_thread_num(0) == 0 && omp_get_team_size(0) == 1);
#pragma omp barrier
      CHECK(members == omp_get_num_threads() && members <= limit);
    }
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task shared(numbers)
    add(&numbers[omp_get_team_num()], 1);
  }
  CHECK(begun == 8);
  for (int i = 0; i < 8; ++i) CHECK(numbers[i] == 2);
  CHECK(omp_get_num_teams() == 1 && omp_get_level() == 0);
}

/* The teams combine their values with the same variables. */
static void reduced(void) {
  int count = 0;
  double sum = 0;
#pragma omp teams num_teams(8) thread_limit(1) reduction(+ : count, sum)
  {
    count += 1;
    sum += omp_get_team_num();
#pragma omp parallel reduction(+ : sum)
    sum += 0.5;
  }
  CHECK(count == 8 && sum == 28 + 8 * 0.5);
}

int main(void) {
  for (int i = 0; i < 20; ++i) {
    at_once(1);
    at_once(2);
  }
  for (int i = 0; i < 2000; ++i) reduced();
  return verdict();
}
