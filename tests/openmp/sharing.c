/* On how many kernel threads the teams of this program run, while other programs come and go.
   sharing [lasting [nice]|threads]: says so at first and whenever it has changed for most of 50 in a row: 1, or 2 for more.
     one region after the other; or lasting: one region, from one barrier to the next; or threads: the program's own, from one
   barrier to the next; nice: the last member has a nice value of its own, and is not counted, since it has a kernel thread of its
   own, too A line of the input makes it wait for the next line; the end of the input ends it. */
#define _GNU_SOURCE
#include <omp.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "driving_thread.h"

enum { most = 64, row = 50, enough = 45 };
static long drivers[most];
static int alone, together, said, not_counted;

static void count(void) {
  int others = 0;
  for (int i = 1; i < omp_get_max_threads() - not_counted; ++i) others += drivers[i] != drivers[0];
  alone += others == 0;
  together += others != 0;
  if (alone + together < row) return;
  const int now = alone >= enough ? 1 : together >= enough ? 2 : said;
  if (now != said) printf("%d\n", said = now);
  fflush(stdout);
  alone = together = 0;
}

/* A byte of the input; 0: there is none yet, or none that is waited for. */
static int has_ended(void) {
  struct pollfd in = {0, POLLIN, 0};
  char line[64];
  if (poll(&in, 1, 0) <= 0) return 0;
  if (read(0, line, sizeof line) <= 0) return 1;
  puts("waits");
  fflush(stdout);
  said = 0;
  return read(0, line, sizeof line) <= 0;
}

static void work(void) {
  for (volatile int i = 0; i < 2000; ++i) continue;
}

static pthread_barrier_t barrier;
static int ended;

static void *pass_barriers(void *its_number) {
  const intptr_t number = (intptr_t)its_number;
  while (!ended) {
    drivers[number] = driving_thread();
    work();
    pthread_barrier_wait(&barrier);
    if (number == 0) {
      count();
      ended = has_ended();
    }
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

static void threads(int number) {
  pthread_t started[most];
  pthread_barrier_init(&barrier, NULL, (unsigned)number);
  for (intptr_t i = 0; i < number; ++i) pthread_create(&started[i], NULL, pass_barriers, (void *)i);
  for (int i = 0; i < number; ++i) pthread_join(started[i], NULL);
}

int main(int words, char **word) {
  if (words == 1) {
    while (!has_ended()) {
#pragma omp parallel
      {
        drivers[omp_get_thread_num()] = driving_thread();
        work();
#pragma omp barrier
      }
      count();
    }
  } else if (strcmp(word[1], "lasting") == 0) {
    not_counted = words > 2;
#pragma omp parallel
    {
      if (omp_get_thread_num() + not_counted == omp_get_num_threads()) setpriority(PRIO_PROCESS, 0, 5);
      while (!ended) {
        drivers[omp_get_thread_num()] = driving_thread();
        work();
#pragma omp barrier
        if (omp_get_thread_num() == 0) {
          count();
          ended = has_ended();
        }
#pragma omp barrier
      }
    }
  } else if (strcmp(word[1], "threads") == 0) {
    threads(omp_get_max_threads());
  }
  return 0;
}
