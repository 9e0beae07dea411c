/* A program of many regions, whose work is divided evenly or unevenly as it is told: how many steps does it make meanwhile?
 *
 * usage: weir-phases LOOPS...      a step has a region for each number: so many turns of an empty loop, divided among its members
 *        weir-phases calibrate NANOSECONDS            prints how many turns take this long on an idle processor
 *
 * Each line of the input begins a phase: `even`, or `uneven`, where each member has more to do than the one before it. At the
 * next line, and at the end of the input, it prints the steps and seconds of the phase. */
#include <omp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "turns.h"

static int uneven;

/* Of 4 members the last has 0.4 of the work, the first 0.1. */
static void compute_mine(long turns) {
  const long me = omp_get_thread_num(), members = omp_get_num_threads();
  compute(uneven ? turns * 2 * (me + 1) / (members * (members + 1)) : turns / members);
}

/* Places that are told apart by the code that the compiler makes of them. */
#define PLACE(number)                      \
  static void place_##number(long turns) { \
    _Pragma("omp parallel") compute_mine(turns); \
  }
PLACE(0)
PLACE(1)
PLACE(2)
PLACE(3)
static void (*const places[])(long) = {place_0, place_1, place_2, place_3};
enum { most = sizeof places / sizeof *places, between_looks = 20 };

static int told(void) {
  struct pollfd input = {0, POLLIN, 0};
  return poll(&input, 1, 0) != 0;
}

/* The next line of the input, read by the byte: what follows it must still be there to be polled for. */
static int next(char *line, int size) {
  int length = 0;
  char c;
  while (length < size - 1 && read(0, &c, 1) == 1 && c != '\n') line[length++] = c;
  line[length] = 0;
  return length;
}

int main(int count, char **words) {
  if (count == 3 && strcmp(words[1], "calibrate") == 0) {
    printf("%ld\n", turns_in(atof(words[2])));
    return 0;
  }
  if (count < 2 || count > most + 1) {
    fprintf(stderr, "usage: %s LOOPS... (up to %d), or %s calibrate NANOSECONDS\n", words[0], (int)most, words[0]);
    return 2;
  }
  char line[16];
  while (next(line, sizeof line)) {
    uneven = strcmp(line, "uneven") == 0;
    long steps = 0;
    const double start = now();
    do {
      for (int i = 0; i < between_looks; ++i)
        for (int place = 1; place < count; ++place) places[place - 1](atol(words[place]));
      steps += between_looks;
    } while (!told());
    printf("%ld %.6f\n", steps, (now() - start) / 1e9);
    fflush(stdout);
  }
  return 0;
}
