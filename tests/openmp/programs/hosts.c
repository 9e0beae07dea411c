/* Several threads of the program begin regions at the same time: each has its own team. */
#include "check.h"
#include <omp.h>
#include <pthread.h>

enum { HOSTS = 4 };
static pthread_barrier_t together;

static void regions(long me, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    int members = 0, sum = 0, done = 0, size = 1 + (int)(me + i) % 4;
#pragma omp parallel num_threads(size) reduction(+ : sum)
    {
      CHECK(omp_get_num_threads() == size && omp_get_level() == 1);
      add(&members, 1);
#pragma omp for schedule(dynamic)
      for (int k = 0; k < 10; ++k) sum += k;
#pragma omp single
      {
#pragma omp task shared(done)
        add(&done, 1);
      }
      CHECK(members == size && done == 1);
    }
    CHECK(sum == 45);
  }
}

static int counted; /* by all hosts: a critical section excludes the members of all teams */

static void *run_teams(void *word) {
  long me = (long)word;
  CHECK(omp_get_max_threads() == asked()); /* main's settings apply to main alone */
  pthread_barrier_wait(&together);
  regions(me, 100);
#pragma omp parallel
  {
#pragma omp critical
    ++counted;
  }
  omp_set_num_threads((int)me + 1);
  CHECK(omp_get_max_threads() == me + 1);
  return NULL;
}

int main(void) {
  for (int round = 0; round < 3; ++round) { /* threads that end, and others that begin after them */
    pthread_t hosts[HOSTS];
    counted = 0;
    pthread_barrier_init(&together, NULL, HOSTS);
    for (long i = 0; i < HOSTS; ++i) CHECK(pthread_create(&hosts[i], NULL, run_teams, (void *)i) == 0);
    for (int i = 0; i < HOSTS; ++i) pthread_join(hosts[i], NULL);
    pthread_barrier_destroy(&together);
    CHECK(counted == HOSTS * asked());
  }
  regions(0, 10);
  return verdict();
}
