/* The release of a lock that many wait for wakes one of them. Voluntary context switches are counted: a sleep at the lock, and
   one under it. Where each release wakes all, they are as many as half of the members' square. */
#include "check.h"
#include <omp.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static omp_lock_t lock;

static void pause_for(long us) {
  const struct timespec length = {us / 1000000, us % 1000000 * 1000};
  nanosleep(&length, NULL);
}

static long switches(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return used.ru_nvcsw;
}

static void take(int critical) {
  if (critical) {
#pragma omp critical
    pause_for(200);
  } else {
    omp_set_lock(&lock);
    pause_for(200);
    omp_unset_lock(&lock);
  }
}

/* The first member has the lock until the others sleep, and looks again when they have had it. */
static long switches_of(int critical) {
  long before = 0, after = 0;
  int inside = 0, through = 0;
#pragma omp parallel shared(before, after, inside, through)
  if (omp_get_thread_num() != 0) {
    while (!__atomic_load_n(&inside, __ATOMIC_ACQUIRE)) pause_for(100);
    take(critical);
    add(&through, 1);
    while (__atomic_load_n(&through, __ATOMIC_ACQUIRE) < omp_get_num_threads()) pause_for(50000);
  } else {
    if (critical) {
#pragma omp critical
      {
        __atomic_store_n(&inside, 1, __ATOMIC_RELEASE);
        pause_for(30000);
        before = switches();
      }
    } else {
      omp_set_lock(&lock);
      __atomic_store_n(&inside, 1, __ATOMIC_RELEASE);
      pause_for(30000);
      before = switches();
      omp_unset_lock(&lock);
    }
    while (__atomic_load_n(&through, __ATOMIC_ACQUIRE) < omp_get_num_threads() - 1) pause_for(5000);
    after = switches();
    add(&through, 1);
  }
  return after - before;
}

int main(void) {
  /* User-level members switch elsewhere, too: where a call blocks. */
  const char *kind = getenv("WEIR_THREADS");
  const int of_kernel = kind == NULL || strcmp(kind, "kernel") == 0;
  omp_init_lock(&lock);
  for (int critical = 0; critical < 2; ++critical) {
    const long expected = 2 * asked(), found = switches_of(critical);
    if (found < 2 * expected + 20 || !of_kernel) continue;
    fprintf(stderr, "%ld switches, and not %ld\n", found, expected);
    ++wrongs;
  }
  omp_destroy_lock(&lock);
  return verdict();
}
