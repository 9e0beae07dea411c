/* omp_pause_resource: threads end, and later regions get new ones; not in regions. */
#include "check.h"
#include "../threads_alive.h"
#include <omp.h>
#include <unistd.h>

static int kept;
#pragma omp threadprivate(kept)

static void region(void) {
  int members = 0;
#pragma omp parallel
  {
    add(&members, 1);
#pragma omp parallel num_threads(2)
    add(&members, 1);
  }
  CHECK(members == 3 * asked());
}

static void ends_threads(int how) {
  region();
  const int most = threads_alive(), ours = 2 * asked() - 1; /* each member's own region has one more */
  CHECK((how & 1 ? omp_pause_resource(omp_pause_hard, omp_get_initial_device()) : omp_pause_resource_all(omp_pause_hard)) == 0);
  for (int i = 0; i < 6000 && threads_alive() > most - ours; ++i) usleep(10000);
  CHECK(threads_alive() <= most - ours);
}

static void keeps_values(void) {
#pragma omp parallel
  kept = omp_get_thread_num() + 1;
  CHECK(omp_pause_resource_all(omp_pause_soft) == 0);
#pragma omp parallel
  CHECK(kept == omp_get_thread_num() + 1);
}

static void refuses(void) {
  int refused = 0;
#pragma omp parallel
  {
#pragma omp masked
    refused = omp_pause_resource_all(omp_pause_hard) != 0 && omp_pause_resource(omp_pause_hard, omp_get_initial_device()) != 0;
  }
  CHECK(refused);
#pragma omp parallel if (0)
  refused = omp_pause_resource_all(omp_pause_soft) != 0;
  CHECK(refused);
  CHECK(omp_pause_resource_all((omp_pause_resource_t)77) != 0 && omp_pause_resource(omp_pause_hard, 7) != 0);
}

int main(void) {
  omp_set_dynamic(0);
  omp_set_max_active_levels(2);
  for (int round = 0; round < 4; ++round) ends_threads(round);
  keeps_values();
  refuses();
  region();
  return verdict();
}
