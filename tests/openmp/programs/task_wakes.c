/* A new task wakes one of the members that sleep at a barrier. Voluntary context switches are counted: for each task one of the
   member that generates it, and one of the member that executes it. */
#include "check.h"
#include <omp.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { rounds = 3, tasks = 15, most_tries = 5 };

static void pause_for(long ms) {
  const struct timespec length = {0, ms * 1000000};
  nanosleep(&length, NULL);
}

static long switches(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return used.ru_nvcsw;
}

static long switches_for_tasks(void) {
  long found = 0;
  int done = 0;
  for (int round = 0; round < rounds; ++round) {
#pragma omp parallel
#pragma omp single
    {
      pause_for(40);
      found -= switches();
      for (int i = 0; i < tasks; ++i) {
#pragma omp task shared(done)
        add(&done, 1);
        pause_for(8);
      }
      found += switches();
    }
  }
  CHECK(done == rounds * tasks);
  return found;
}

int main(void) {
  /* User-level members switch elsewhere, too: where a call blocks. */
  const char *kind = getenv("WEIR_THREADS");
  const int counts = (kind == NULL || strcmp(kind, "kernel") == 0) && asked() >= 8;
  const long expected = 2 * rounds * tasks;
  long found = switches_for_tasks();
  for (int i = 1; counts && found > 2 * expected && i < most_tries; ++i) {
    tries_again("openmp: sleeps again");
    found = switches_for_tasks();
  }
  if (counts && found > 2 * expected) {
    fprintf(stderr, "%ld switches, and not %ld\n", found, expected);
    ++wrongs;
  }
  return verdict();
}
