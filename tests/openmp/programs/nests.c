/* Nested parallel regions: team sizes change between nests, and members inherit control variables. */
#include "check.h"
#include <omp.h>

static void nest(int first, int second, int third) {
  int active = (first > 1) + (second > 1) + (third > 1), members = 0;
#pragma omp parallel num_threads(first)
#pragma omp parallel num_threads(second)
#pragma omp parallel num_threads(third)
  {
    CHECK(omp_get_level() == 3 && omp_get_active_level() == active && omp_get_num_threads() == third);
    CHECK(omp_get_team_size(1) == first && omp_get_team_size(2) == second && omp_get_team_size(3) == third);
    add(&members, 1);
  }
  CHECK(members == first * second * third);
}

/* The number of active levels is limited, whatever the previous nest was. */
static void limited(int first, int expected) {
  int members = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(first)
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
  add(&members, 1);
  CHECK(members == expected);
  omp_set_max_active_levels(4);
}

static void what_is_set_is_inherited(void) {
  int before = omp_get_max_threads(), members = 0;
  omp_set_num_threads(3);
#pragma omp parallel num_threads(2)
  {
    CHECK(omp_get_max_threads() == 3);
#pragma omp parallel
    add(&members, 1);
    if (omp_get_thread_num() == 1) omp_set_num_threads(5);
    CHECK(omp_get_max_threads() == (omp_get_thread_num() == 1 ? 5 : 3));
  }
  CHECK(members == 6 && omp_get_max_threads() == 3);
  omp_set_num_threads(before);
}

int main(void) {
  omp_set_dynamic(0);
  omp_set_max_active_levels(4);
  for (int i = 0; i < 5; ++i) {
    nest(1, 2, 2);
    nest(2, 2, 2);
    nest(2, 1, 2);
    nest(1, 1, 2);
    nest(3, 2, 1);
    limited(1, 4);
    limited(2, 4);
  }
  what_is_set_is_inherited();
  return verdict();
}
