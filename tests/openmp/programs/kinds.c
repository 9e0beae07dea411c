/* Teams that alternate between fewer members than processors and more: where members run may change with each region. What is
   each member's own lasts, in nested regions and in threads of the program that come and go. */
#include "check.h"
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

enum { HOSTS = 3 };
static int kept;
#pragma omp threadprivate(kept)

/* `times`: that a team of this size has been the last one. Then the members' variables are those that they have left. */
static void region(int base, int size, int times) {
  int members = 0, ends[2];
  CHECK(pipe(ends) == 0);
#pragma omp parallel num_threads(size)
  {
    const int me = omp_get_thread_num();
    CHECK(omp_get_num_threads() == size);
    if (times != 0) CHECK(kept == base + me);
    kept = base + me;
    /* A member waits in the kernel for one that comes later. */
    char byte = 'x';
    if (me == size - 1) CHECK(write(ends[1], &byte, 1) == 1);
    if (me == size / 2) CHECK(read(ends[0], &byte, 1) == 1 && byte == 'x');
#pragma omp barrier
    add(&members, 1);
    if (me == 0 && times == 1) usleep(200);
#pragma omp barrier
    CHECK(members == size && kept == base + me);
  }
  CHECK(members == size);
  close(ends[0]);
  close(ends[1]);
}

static void nest(int outer, int inner) {
  int members = 0;
#pragma omp parallel num_threads(outer)
  {
    const int me = omp_get_thread_num();
    for (int i = 0; i < 3; ++i) {
#pragma omp parallel num_threads(i == 1 ? 2 : inner)
      {
        CHECK(omp_get_ancestor_thread_num(1) == me && omp_get_num_threads() == (i == 1 ? 2 : inner));
#pragma omp barrier
        add(&members, 1);
      }
#pragma omp barrier
    }
  }
  CHECK(members == outer * (2 * inner + 2));
}

static void *run_teams(void *word) {
  const int base = 100 * (int)(long)word;
  omp_set_max_active_levels(2);
  for (int i = 0; i < 12; ++i) {
    for (int times = 0; times < 2; ++times) region(base, 2, times);
    for (int times = 0; times < 3; ++times) region(base, 8, times);
    if (i % 4 == 1) {
      nest(2, 4);
      nest(5, 2);
    }
  }
  return NULL;
}

/* In turn with nothing between: each region is begun while the workers of the last one still wait. */
static void in_haste(void) {
  for (int i = 0; i < 1000; ++i) {
    int members = 0;
    const int size = i % 2 == 0 ? 2 : 8;
#pragma omp parallel num_threads(size)
    {
      volatile double sum = 0;
      for (int k = 1; k < (i % 3) * 300; ++k) sum += 1.0 / k;
      add(&members, 1);
    }
    CHECK(members == size);
  }
}

int main(void) {
  omp_set_dynamic(0);
  run_teams((void *)9L);
  in_haste();
  for (int round = 0; round < 4; ++round) {
    pthread_t hosts[HOSTS];
    for (long i = 0; i < HOSTS; ++i) CHECK(pthread_create(&hosts[i], NULL, run_teams, (void *)i) == 0);
    if (round % 2 == 0) in_haste();
    for (int i = 0; i < HOSTS; ++i) pthread_join(hosts[i], NULL);
  }
  return verdict();
}
