// Threads that have opened a region are joined while they destroy their thread_local variables: their processors are still there.
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "programs/check.h"

extern int __cxa_thread_atexit_impl(void (*destructor)(void *), void *object, void *library);  // as C++'s thread_local does
extern void *__dso_handle;

enum { threads = 3, rounds = 4 };

static void takes_a_while(void *unused) {
  (void)unused;
  usleep(30000);
}

// The region lasts, so the thread drives a processor of its own, and is no member of another one.
static void *opens_region(void *unused) {
  __cxa_thread_atexit_impl(takes_a_while, NULL, &__dso_handle);
  const double end = omp_get_wtime() + 0.1;
  int goes_on = 1;
#pragma omp parallel num_threads(2)
  while (goes_on) {
#pragma omp barrier
#pragma omp master
    goes_on = omp_get_wtime() < end;
#pragma omp barrier
  }
  return unused;
}

int main(void) {
  for (int round = 0; round < rounds; ++round) {
    pthread_t started[threads];
    for (int i = 0; i < threads; ++i) CHECK(pthread_create(&started[i], NULL, opens_region, NULL) == 0);
    for (int i = 0; i < threads; ++i) CHECK(pthread_join(started[i], NULL) == 0);
  }
  return verdict();
}
