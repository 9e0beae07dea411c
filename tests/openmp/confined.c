/* On how many processors a thread of this program may run, while other programs come and go: says so whenever it changes.
   confined team [elsewhere]: a member of a team
            threads: one of four threads that compute, and meet now and then
            alone: nothing is said, and the first thread computes, and begins no region
   elsewhere: it first names another table. The end of the input ends it. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "until_input_ends.h"

enum { threads = 4 };

static void say_if_changed(void) {
  static int said;
  const int now = processors();
  if (now == said) return;
  printf("%d\n", said = now);
  fflush(stdout);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *compute(void *number) {
  while (!atomic_load(&ended)) {
    work();
    pthread_mutex_lock(&mutex);
    if (number == NULL) say_if_changed();
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

static void team(void) {
#pragma omp parallel num_threads(threads)
  {
    work();
    if (omp_get_thread_num() == 1) say_if_changed();
  }
}

int main(int words, char **word) {
  const char *const what = words > 1 ? word[1] : "";
  if (words > 2) setenv("WEIR_SHARE_DIR", "/nowhere", 1);
  if (strcmp(what, "threads") == 0) {
    run_until_input_ends(threads, compute);
    return 0;
  }
  while (!has_ended()) strcmp(what, "alone") == 0 ? work() : team();
  return 0;
}
