/* On how many processors a thread of this program may run, while other programs come and go: says so whenever it changes.
   confined team [elsewhere]: a member of a team
            threads: one of four threads that compute, and meet now and then
            alone: nothing is said, and the first thread computes, and begins no region
   elsewhere: it first names another table. The end of the input ends it. */
#define _GNU_SOURCE
#include <omp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { threads = 4 };

/* Not as the C library tells it, which a runtime may replace. */
static int processors(void) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  return syscall(SYS_sched_getaffinity, 0, sizeof mask, &mask) > 0 ? CPU_COUNT(&mask) : 0;
}

static void say_if_changed(void) {
  static int said;
  const int now = processors();
  if (now == said) return;
  printf("%d\n", said = now);
  fflush(stdout);
}

static int has_ended(void) {
  struct pollfd in = {0, POLLIN, 0};
  char line[64];
  return poll(&in, 1, 0) > 0 && read(0, line, sizeof line) <= 0;
}

static void work(void) {
  for (volatile int i = 0; i < 200000; ++i) continue;
}

static atomic_int ended;
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
    pthread_t all[threads];
    for (long i = 0; i < threads; ++i) pthread_create(&all[i], NULL, compute, (void *)i);
    while (!has_ended()) usleep(1000);
    atomic_store(&ended, 1);
    for (int i = 0; i < threads; ++i) pthread_join(all[i], NULL);
    return 0;
  }
  while (!has_ended()) strcmp(what, "alone") == 0 ? work() : team();
  return 0;
}
