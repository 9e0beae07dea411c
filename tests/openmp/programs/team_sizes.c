/* The number of threads of a region, by lists in the environment, limits and dynamic adjustment; the size of thread stacks. */
#define _GNU_SOURCE
#include "parts.h"
#include "stacks.h"
#include <omp.h>
#include <sched.h>

static int size_of_region(void) {
  int size = 0;
#pragma omp parallel
#pragma omp single
  size = omp_get_num_threads();
  return size;
}

/* The nesting level selects the element of the list, whether regions are active or not. */
static void lists(void) {
  CHECK(omp_get_max_threads() == 4 && size_of_region() == 4);
#pragma omp parallel num_threads(1)
  CHECK(omp_get_max_threads() == 3 && size_of_region() == 3);
#pragma omp parallel num_threads(2)
  {
    CHECK(omp_get_max_threads() == 3 && size_of_region() == 3);
#pragma omp parallel num_threads(1)
    {
      CHECK(omp_get_max_threads() == 2 && size_of_region() == 2);
#pragma omp parallel num_threads(1)
      CHECK(omp_get_max_threads() == 2 && size_of_region() == 2); /* the last element applies to all deeper levels */
    }
#pragma omp single
    omp_set_num_threads(5);
#pragma omp barrier
    CHECK(omp_get_max_threads() == 3 || omp_get_max_threads() == 5);
    if (omp_get_max_threads() == 5) CHECK(size_of_region() == 5);
  }
  omp_set_num_threads(6);
  CHECK(size_of_region() == 6);
#pragma omp parallel num_threads(2)
  CHECK(omp_get_max_threads() == 3);
}

static void levels(void) {
  CHECK(omp_get_max_active_levels() == 2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(1)
  {
    CHECK(omp_get_level() == 2 && omp_get_active_level() == 1);
#pragma omp parallel num_threads(2)
    {
      CHECK(omp_get_num_threads() == 2 && omp_get_active_level() == 2);
#pragma omp parallel num_threads(2)
      CHECK(omp_get_num_threads() == 1 && omp_get_level() == 4);
    }
  }
}

static void limit(void) {
  CHECK(omp_get_thread_limit() == 5);
#pragma omp parallel num_threads(8)
  CHECK(omp_get_num_threads() == 5);
  for (int round = 0; round < 10; ++round) {
    int teams = 0, inner[3];
#pragma omp parallel num_threads(3)
    {
#pragma omp barrier
#pragma omp parallel num_threads(3)
      {
#pragma omp single
        inner[omp_get_ancestor_thread_num(1)] = omp_get_num_threads();
        if (omp_get_thread_num() == 0) add(&teams, 1);
        while (round % 2 && __atomic_load_n(&teams, __ATOMIC_RELAXED) < 3) sched_yield(); /* all three teams exist at once */
      }
    }
    for (int n = 0; n < 3; ++n) CHECK(inner[n] >= 1 && inner[n] <= 3);
    CHECK(!(round % 2) || inner[0] + inner[1] + inner[2] <= 5);
  }
  CHECK(size_of_region() >= 1);
}

static void alone(void) {
  CHECK(omp_get_thread_limit() == 1);
#pragma omp parallel num_threads(4)
  CHECK(omp_get_num_threads() == 1);
}

static void dynamic(void) {
  CHECK(omp_get_dynamic());
#pragma omp parallel num_threads(64)
  CHECK(omp_get_num_threads() <= omp_get_num_procs());
  omp_set_num_threads(64);
  CHECK(size_of_region() <= omp_get_num_procs());
  omp_set_dynamic(0);
#pragma omp parallel num_threads(64)
  CHECK(omp_get_num_threads() == 64);
}

static void stacks(void) {
#pragma omp parallel num_threads(3)
  CHECK(omp_get_thread_num() == 0 || (stack_here() >= 3 << 20 && stack_here() < 4 << 20));
}

int main(int argc, char **argv) {
  const struct part parts[] = {
      {"lists", lists, {"OMP_NUM_THREADS=4,3,2", "OMP_MAX_ACTIVE_LEVELS=4"}},
      {"levels", levels, {"OMP_MAX_ACTIVE_LEVELS=2"}},
      {"limit", limit, {"OMP_THREAD_LIMIT=5", "OMP_MAX_ACTIVE_LEVELS=2", "OMP_NUM_THREADS=2"}},
      {"alone", alone, {"OMP_THREAD_LIMIT=1"}},
      {"dynamic", dynamic, {"OMP_DYNAMIC=true"}},
      {"stacks", stacks, {"OMP_STACKSIZE=3M"}},
      {"stacks, GOMP", stacks, {"GOMP_STACKSIZE=3072"}},
  };
  return run_parts(argc, argv, parts, sizeof parts / sizeof *parts);
}
