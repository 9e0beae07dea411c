/* A target region on the host does not depend on the surrounding context: an initial thread executes it, with the initial
   control variables. Clang's code begins one without a call of the runtime. */
#include "check.h"
#include <omp.h>

static int most;

static void as_in_the_beginning(void) {
  CHECK(omp_get_level() == 0 && omp_get_active_level() == 0 && !omp_in_parallel());
  CHECK(omp_get_num_threads() == 1 && omp_get_thread_num() == 0 && omp_get_team_size(0) == 1 && omp_get_team_size(1) == -1);
  CHECK(omp_get_ancestor_thread_num(0) == 0 && omp_get_ancestor_thread_num(1) == -1);
  CHECK(omp_get_max_threads() == most && omp_get_num_teams() == 1 && omp_get_team_num() == 0 && !omp_in_final());
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  CHECK(!(kind == omp_sched_guided && chunk == 77));
  /* The settings of the region end with it. */
  omp_set_num_threads(2);
  omp_set_schedule(omp_sched_static, 5);
  int members = 0;
#pragma omp parallel reduction(+ : members)
  {
    CHECK(omp_get_level() == 1 && omp_get_ancestor_thread_num(0) == 0 && omp_get_team_size(0) == 1);
    members += 1;
  }
  CHECK(members == 2);
}

static void unchanged(int level, int threads) {
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  CHECK(omp_get_level() == level && omp_get_max_threads() == threads && kind == omp_sched_guided && chunk == 77);
}

int main(void) {
  most = omp_get_max_threads();
  omp_set_schedule(omp_sched_guided, 77);
  omp_set_num_threads(3);
  for (int i = 0; i < 3; ++i) {
#pragma omp target
    as_in_the_beginning();
    unchanged(0, 3);
#pragma omp parallel
    {
      const int number = omp_get_thread_num();
#pragma omp target
      as_in_the_beginning();
      unchanged(1, 3);
      CHECK(omp_get_thread_num() == number && omp_get_num_threads() == 3);
#pragma omp barrier
#pragma omp parallel num_threads(2)
      {
#pragma omp target
        as_in_the_beginning();
        unchanged(2, 3);
      }
#pragma omp for
      for (int j = 0; j < 6; ++j) {
#pragma omp target nowait
        as_in_the_beginning();
      }
#pragma omp task final(1)
      {
#pragma omp target
        as_in_the_beginning();
        CHECK(omp_in_final());
      }
#pragma omp single
      {
        int value = 0;
        omp_event_handle_t event;
#pragma omp task detach(event) depend(out : value)
        value = 1;
#pragma omp target nowait depend(inout : value) map(tofrom : value)
        as_in_the_beginning();
        omp_fulfill_event(event);
#pragma omp taskwait
      }
    }
  }
  return verdict();
}
