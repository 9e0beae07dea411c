/* Threads that compute until the input of the program ends, and on how many processors they may run. For sources with
 * _GNU_SOURCE. */
#pragma once

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Not as the C library tells it, which a runtime may replace. */
static int processors(void) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  return syscall(SYS_sched_getaffinity, 0, sizeof mask, &mask) > 0 ? CPU_COUNT(&mask) : 0;
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

/* Each thread computes until `ended`, and is told its number, from 0. */
static void run_until_input_ends(long threads, void *(*compute)(void *number)) {
  pthread_t started[threads];
  for (long i = 0; i < threads; ++i) pthread_create(&started[i], NULL, compute, (void *)i);
  while (!has_ended()) usleep(1000);
  atomic_store(&ended, 1);
  for (long i = 0; i < threads; ++i) pthread_join(started[i], NULL);
}
