/* The routines that get and set control variables. */
#include "check.h"
#include <omp.h>

static void teams_and_levels(void) {
  int team = asked();
  CHECK(omp_get_max_threads() == team && omp_get_num_threads() == 1 && omp_get_thread_num() == 0);
  CHECK(omp_get_level() == 0 && omp_get_active_level() == 0 && !omp_in_parallel() && !omp_in_final());
  CHECK(omp_get_ancestor_thread_num(0) == 0 && omp_get_team_size(0) == 1);
  CHECK(omp_get_ancestor_thread_num(1) == -1 && omp_get_team_size(1) == -1);
  CHECK(omp_get_ancestor_thread_num(-1) == -1 && omp_get_team_size(-1) == -1);
#pragma omp parallel
  {
    CHECK(omp_get_level() == 1 && omp_get_active_level() == (team > 1));
    CHECK(omp_get_ancestor_thread_num(1) == omp_get_thread_num() && omp_get_team_size(1) == team);
    CHECK(omp_get_ancestor_thread_num(0) == 0 && omp_get_team_size(2) == -1);
  }
  omp_set_num_threads(3);
  CHECK(omp_get_max_threads() == 3);
#pragma omp parallel
  CHECK(omp_get_num_threads() == 3);
  omp_set_num_threads(team);
}

static void settings(void) {
  int supported = omp_get_supported_active_levels();
  CHECK(supported >= 1);
  omp_set_max_active_levels(3);
  CHECK(omp_get_max_active_levels() == (supported < 3 ? supported : 3));
  omp_set_max_active_levels(0);
  CHECK(omp_get_max_active_levels() == 0);
#pragma omp parallel num_threads(4)
  CHECK(omp_get_num_threads() == 1);
  omp_set_max_active_levels(1);

  omp_set_dynamic(1);
  CHECK(omp_get_dynamic() == 0 || omp_get_dynamic() == 1);
#pragma omp parallel
  CHECK(omp_get_num_threads() >= 1 && omp_get_num_threads() <= asked());
  omp_set_dynamic(0);
  CHECK(!omp_get_dynamic());

  omp_sched_t kind;
  int chunk;
  omp_set_schedule(omp_sched_guided, 13);
  omp_get_schedule(&kind, &chunk);
  CHECK((kind & ~0x80000000u) == omp_sched_guided && chunk == 13);
#pragma omp parallel num_threads(2)
  {
    omp_set_schedule(omp_sched_dynamic, 20 + omp_get_thread_num());
#pragma omp barrier
    omp_sched_t own;
    int of_own;
    omp_get_schedule(&own, &of_own);
    CHECK((own & ~0x80000000u) == omp_sched_dynamic && of_own == 20 + omp_get_thread_num());
  }
  omp_get_schedule(&kind, &chunk);
  CHECK((kind & ~0x80000000u) == omp_sched_guided && chunk == 13);
}

static void limits(void) {
  CHECK(omp_get_thread_limit() >= asked());
  CHECK(omp_get_num_procs() >= 1);
  CHECK(!omp_get_cancellation());
  CHECK(omp_get_max_task_priority() == 0);
  CHECK(omp_get_num_teams() == 1 && omp_get_team_num() == 0);
  CHECK(omp_is_initial_device() && omp_get_num_devices() >= 0);
  CHECK(omp_pause_resource(omp_pause_soft, omp_get_initial_device()) == 0);
#pragma omp parallel
  CHECK(omp_get_num_threads() == asked());
}

static void clock_goes_on(void) {
  double begin = omp_get_wtime(), tick = omp_get_wtick(), last = begin;
  CHECK(tick > 0 && tick < 0.1);
  for (int i = 0; i < 1000; ++i) {
    double now = omp_get_wtime();
    CHECK(now >= last);
    last = now;
  }
  while (omp_get_wtime() < begin + 0.01) {
  }
}

static void places(void) {
  int count = omp_get_num_places();
  CHECK(count >= 0);
  omp_proc_bind_t bind = omp_get_proc_bind();
  CHECK(bind >= omp_proc_bind_false && bind <= omp_proc_bind_spread);
  for (int place = 0; place < count; ++place) {
    int processors = omp_get_place_num_procs(place), ids[1024];
    CHECK(processors >= 1 && processors <= 1024);
    omp_get_place_proc_ids(place, ids);
    for (int i = 0; i < processors; ++i) CHECK(ids[i] >= 0);
  }
  CHECK(omp_get_place_num() >= -1 && omp_get_place_num() < (count > 0 ? count : 1));
  int partition = omp_get_partition_num_places(), numbers[1024];
  CHECK(partition >= 0 && partition <= count);
  omp_get_partition_place_nums(numbers);
  for (int i = 0; i < partition; ++i) CHECK(numbers[i] >= 0 && numbers[i] < count);
}

static void formats(void) {
  char text[64];
  omp_set_affinity_format("level %L of %N");
  CHECK(omp_get_affinity_format(text, sizeof text) == 14);
  CHECK(text[0] == 'l' && text[13] == 'N' && text[14] == '\0');
#pragma omp parallel num_threads(2)
  {
    char own[64];
    size_t length = omp_capture_affinity(own, sizeof own, "%n/%N");
    CHECK(length == 3 && own[0] == '0' + omp_get_thread_num() && own[1] == '/' && own[2] == '2');
  }
}

int main(void) {
  omp_set_dynamic(0);
  teams_and_levels();
  settings();
  limits();
  clock_goes_on();
  places();
  formats();
  return verdict();
}
