/* Tiny regions, 900,000 in a row or as many as fit into a second: the process does not grow. Once it may, where the runtime
   begins to try teams on other processors. */
#include "check.h"
#include <omp.h>
#include <string.h>

static long resident_kb(void) {
  char line[256];
  long kb = -1;
  FILE *file = fopen("/proc/self/status", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "VmRSS: %ld", &kb) == 1) break;
  if (file != NULL) fclose(file);
  return kb;
}

/* Returns the number of regions. */
static int regions(int most, double seconds) {
  int counter = 0, done = 0;
  double until = omp_get_wtime() + seconds;
  for (; done < most && (done % 64 || omp_get_wtime() < until); ++done) {
#pragma omp parallel
    {
#pragma omp for schedule(dynamic) nowait
      for (int i = 0; i < 1; ++i) add(&counter, 1);
#pragma omp single nowait
      {
#pragma omp task shared(counter)
        add(&counter, 1);
      }
    }
  }
  CHECK(counter == 2 * done);
  return done;
}

int main(void) {
  enum { rows = 5 };
  regions(100000, 0.3);
  for (int row = 1; row <= rows; ++row) {
    const long before = resident_kb();
    const int more = regions(900000, 0.9);
    const long after = resident_kb();
    CHECK(before > 0);
    /* Many regions would show a leak of one word per region. A thread's first task gives the thread a heap of its own. */
    if (after - before <= 512 + 64 * omp_get_max_threads() + more * 4 / 1024) break;
    fprintf(stderr, "%d regions: %ld kB, and then %ld kB\n", more, before, after);
    if (row == rows) ++wrongs;
  }
  return verdict();
}
