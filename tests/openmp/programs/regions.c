/* parallel: the members of a team, their data, nested teams. */
#include "check.h"
#include <omp.h>

enum { MOST = 64 };

static void everyone_is_there_once(void) {
  int seen[MOST] = {0}, teams = 0;
#pragma omp parallel
  {
    CHECK(omp_get_num_threads() == asked());
    CHECK(omp_in_parallel() == (asked() > 1));
    add(&seen[omp_get_thread_num()], 1);
    if (omp_get_thread_num() == 0) add(&teams, 1);
  }
  CHECK(teams == 1);
  for (int i = 0; i < MOST; ++i) CHECK(seen[i] == (i < asked()));
  CHECK(omp_get_num_threads() == 1 && omp_get_thread_num() == 0 && !omp_in_parallel());
}

static void a_region_has_the_size_it_asks_for(void) {
  for (int size = 1; size <= 9; ++size) {
    int members = 0;
#pragma omp parallel num_threads(size)
    {
      CHECK(omp_get_num_threads() == size);
      add(&members, 1);
    }
    CHECK(members == size);
  }
  int members = 0;
#pragma omp parallel
  add(&members, 1);
  CHECK(members == asked()); /* the clause applies to its region alone */
}

static void a_condition_that_fails_leaves_one(void) {
  for (int many = 0; many < 2; ++many) {
    int members = 0;
#pragma omp parallel if (many) num_threads(3)
    {
      CHECK(omp_get_num_threads() == (many ? 3 : 1));
      CHECK(omp_get_level() == 1 && omp_get_active_level() == many);
      add(&members, 1);
    }
    CHECK(members == (many ? 3 : 1));
  }
}

static void variables_are_whose_they_should_be(void) {
  int own = -1, given = 17, members = 0, field[3] = {1, 2, 3};
#pragma omp parallel private(own) firstprivate(given, field) shared(members) default(none)
  {
    own = omp_get_thread_num();
    CHECK(given == 17 && field[0] == 1 && field[2] == 3);
    given += own;
    field[1] = own;
#pragma omp barrier
    CHECK(own == omp_get_thread_num() && given == 17 + own && field[1] == own);
    add(&members, 1);
  }
  CHECK(own == -1 && given == 17 && field[1] == 2 && members == asked());
}

static void binding_is_accepted(void) {
  int members = 0;
#pragma omp parallel proc_bind(close)
  add(&members, 1);
#pragma omp parallel proc_bind(spread)
  add(&members, 1);
#pragma omp parallel proc_bind(master)
  add(&members, 1);
  CHECK(members == 3 * asked());
}

static void inner_teams(int levels) {
  omp_set_max_active_levels(levels);
  int inner = 0, outer = 0;
#pragma omp parallel num_threads(3)
  {
    int own = omp_get_thread_num();
    add(&outer, 1);
#pragma omp parallel num_threads(4) firstprivate(own)
    {
      CHECK(omp_get_num_threads() == (levels > 1 ? 4 : 1));
      CHECK(omp_get_level() == 2 && omp_get_active_level() == (levels > 1 ? 2 : 1));
      CHECK(omp_get_ancestor_thread_num(1) == own);
      CHECK(omp_get_ancestor_thread_num(2) == omp_get_thread_num());
      CHECK(omp_get_team_size(1) == 3);
      add(&inner, 1);
    }
    CHECK(omp_get_thread_num() == own && omp_get_num_threads() == 3 && omp_get_level() == 1);
  }
  CHECK(outer == 3 && inner == (levels > 1 ? 12 : 3));
}

static int sum_below(int depth) {
  int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  sum += depth > 1 ? sum_below(depth - 1) : 1;
  return sum;
}

/* A task's settings apply to its own regions, and to no other task's. */
static void settings_are_the_tasks_own(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(3)
  {
    omp_set_num_threads(omp_get_thread_num() + 1);
    int expected = omp_get_thread_num() + 1, members = 0;
#pragma omp parallel shared(members)
    add(&members, 1);
    CHECK(members == expected);
  }
  CHECK(omp_get_max_threads() == asked());
}

int main(void) {
  omp_set_dynamic(0);
  everyone_is_there_once();
  a_region_has_the_size_it_asks_for();
  a_condition_that_fails_leaves_one();
  variables_are_whose_they_should_be();
  binding_is_accepted();
  for (int i = 0; i < 20; ++i) {
    inner_teams(1);
    inner_teams(2);
  }
  omp_set_max_active_levels(4);
  CHECK(sum_below(4) == 16);
  omp_set_max_active_levels(1);
  CHECK(sum_below(4) == 2);
  settings_are_the_tasks_own();
  everyone_is_there_once();
  return verdict();
}
