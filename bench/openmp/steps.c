/* A team that repeatedly computes a little and meets: how many such steps does it make in a second?
 *
 * usage: weir-steps SECONDS LOOPS barrier|region     LOOPS turns of an empty loop in each member before it meets
 *        weir-steps calibrate NANOSECONDS            prints how many turns take this long on an idle processor
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "turns.h"

enum { between_looks = 20 }; /* steps: the clock is read by one member, and seldom */

static long meet_at_barriers(double end, long turns) {
  long steps = 0;
  int done = 0;
#pragma omp parallel
  do {
    for (int i = 0; i < between_looks; ++i) {
      compute(turns);
#pragma omp barrier
    }
#pragma omp master
    {
      steps += between_looks;
      done = now() >= end;
    }
#pragma omp barrier
  } while (!done);
  return steps;
}

static long meet_in_regions(double end, long turns) {
  long steps = 0;
  do {
    for (int i = 0; i < between_looks; ++i) {
#pragma omp parallel
      compute(turns);
    }
    steps += between_looks;
  } while (now() < end);
  return steps;
}

int main(int count, char** words) {
  if (count == 3 && strcmp(words[1], "calibrate") == 0) {
    printf("%ld\n", turns_in(atof(words[2])));
    return 0;
  }
  const int barriers = count == 4 && strcmp(words[3], "barrier") == 0;
  if (count != 4 || (!barriers && strcmp(words[3], "region") != 0)) {
    fprintf(stderr, "usage: %s SECONDS LOOPS barrier|region, or %s calibrate NANOSECONDS\n", words[0], words[0]);
    return 2;
  }
#pragma omp parallel
  {} /* the team is made */
  const double start = now(), end = start + atof(words[1]) * 1e9;
  const long steps = (barriers ? meet_at_barriers : meet_in_regions)(end, atol(words[2]));
  printf("%.1f\n", (double)steps * 1e9 / (now() - start));
  return 0;
}
