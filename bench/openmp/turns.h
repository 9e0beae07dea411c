/* Work that is given in turns of an empty loop, not as a time: a member that is kept from its processor has not computed. */
#pragma once

#include <time.h>

/* In nanoseconds. */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void compute(long turns) {
  for (long i = 0; i < turns; ++i) __asm__ volatile("" : : "r"(i));
}

/* On an idle processor. */
static long turns_in(double nanoseconds) {
  const long turns = 20000;
  double best = 1e30;
  for (int i = 0; i < 500; ++i) {
    const double start = now();
    compute(turns);
    const double took = now() - start;
    if (took < best) best = took;
  }
  return (long)((double)turns * nanoseconds / best);
}
