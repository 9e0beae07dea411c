/* The release of a lock that many wait for wakes one of them. Voluntary context switches are counted: a sleep at the lock, and
   one under it. Where each release wakes all, they are as many as half of the members' square. */
#define _GNU_SOURCE
#include "check.h"
#include <omp.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { most_tries = 5 };
static omp_lock_t lock;

static void pause_for(long us) {
  const struct timespec length = {us / 1000000, us % 1000000 * 1000};
  nanosleep(&length, NULL);
}

static long switches(void) {
  struct rusage used;
  getrusage(RUSAGE_THREAD, &used);
  return used.ru_nvcsw;
}

/* Returns the switches meanwhile. */
static long take(int critical) {
  const long before = switches();
  if (critical) {
#pragma omp critical
    pause_for(200);
  } else {
    omp_set_lock(&lock);
    pause_for(200);
    omp_unset_lock(&lock);
  }
  return switches() - before;
}

/* The first member has the lock until the others sleep: who comes later finds fewer to be woken. */
static long switches_of(int critical) {
  long found = 0;
  int inside = 0;
#pragma omp parallel shared(inside) reduction(+ : found)
  if (omp_get_thread_num() != 0) {
    while (!__atomic_load_n(&inside, __ATOMIC_ACQUIRE)) pause_for(100);
    found = take(critical);
  } else if (critical) {
#pragma omp critical
    {
      __atomic_store_n(&inside, 1, __ATOMIC_RELEASE);
      pause_for(30000);
    }
  } else {
    omp_set_lock(&lock);
    __atomic_store_n(&inside, 1, __ATOMIC_RELEASE);
    pause_for(30000);
    omp_unset_lock(&lock);
  }
  return found;
}

int main(void) {
  /* User-level members switch elsewhere, too: where a call blocks. */
  const char *kind = getenv("WEIR_THREADS");
  const int of_kernel = kind == NULL || strcmp(kind, "kernel") == 0;
  omp_init_lock(&lock);
  for (int critical = 0; critical < 2; ++critical) {
    const long expected = 2 * asked(), few = 2 * expected + 8;
    long found = switches_of(critical);
    for (int i = 1; of_kernel && found >= few && i < most_tries; ++i) {
      tries_again("openmp: overtaken");
      found = switches_of(critical);
    }
    if (found < few || !of_kernel) continue;
    fprintf(stderr, "%ld switches, and not %ld\n", found, expected);
    ++wrongs;
  }
  omp_destroy_lock(&lock);
  return verdict();
}
