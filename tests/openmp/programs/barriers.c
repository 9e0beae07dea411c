/* barrier and flush: all threads see afterwards what any thread wrote before, in thousands of episodes. */
#include "check.h"
#include <omp.h>

enum { MOST = 64 };
static struct {
  int episode;
  char line[60];
} members[MOST];

static void all_have_come(int rounds) {
#pragma omp parallel
  {
    int me = omp_get_thread_num(), team = omp_get_num_threads();
    for (int i = 1; i <= rounds; ++i) {
      members[me].episode = i;
#pragma omp barrier
      for (int other = 0; other < team; ++other) CHECK(members[other].episode == i);
#pragma omp barrier
    }
  }
}

/* Two fields are written in turn; only the barrier separates the writes from the reads. */
static void in_turn(int rounds) {
  static int field[2][MOST];
#pragma omp parallel
  {
    int me = omp_get_thread_num(), team = omp_get_num_threads();
    field[0][me] = me;
    for (int i = 0; i < rounds; ++i) {
#pragma omp barrier
      field[(i + 1) % 2][me] = field[i % 2][(me + 1) % team];
    }
    CHECK(field[rounds % 2][me] == (me + rounds) % team);
  }
}

/* Some members arrive much later than others. */
static void with_stragglers(void) {
  int arrived = 0, team = asked();
#pragma omp parallel
  for (int i = 1; i <= 20; ++i) {
    if (omp_get_thread_num() == i % omp_get_num_threads()) {
      double until = omp_get_wtime() + 0.002;
      while (omp_get_wtime() < until) {
      }
    }
    add(&arrived, 1);
#pragma omp barrier
    CHECK(__atomic_load_n(&arrived, __ATOMIC_RELAXED) == i * team);
#pragma omp barrier
  }
}

/* The end of a region is a barrier too. */
static void at_the_end_of_a_region(int rounds) {
  for (int i = 1; i <= rounds; ++i) {
#pragma omp parallel
    members[omp_get_thread_num()].episode = -i;
    for (int other = 0; other < asked(); ++other) CHECK(members[other].episode == -i);
  }
}

static void flushes(void) {
  int data = 0, ready = 0;
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    data = 42;
#pragma omp flush
#pragma omp atomic write
    ready = 1;
  } else {
    int seen = 0;
    while (!seen) {
#pragma omp atomic read
      seen = ready;
    }
#pragma omp flush(data, ready)
    CHECK(data == 42);
  }
}

int main(void) {
  all_have_come(episodes(5000));
  in_turn(episodes(5000));
  with_stragglers();
  at_the_end_of_a_region(episodes(5000));
  if (!WATCHED) flushes(); /* ThreadSanitizer does not support fences */
#pragma omp barrier /* outside of all regions: a team of one thread */
  return verdict();
}
