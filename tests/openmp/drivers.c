/* Who drives the members of a team: the kernel's threads that execute a region, and how many members there are to the C library.
   drivers [handled|overflow|tasks|seated]: the program handles SIGURG itself; a member's stack overflows; the kernel's threads
   are those that execute tasks which one member generates when the others have long slept, until there are two; threads of the
   program have met the primary thread, so that it has a seat. */
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "driving_thread.h"

enum { most = 64 };
static long drivers[most], members[most];

static int distinct(const long *threads, int n) {
  int found = 0;
  for (int i = 0; i < n; ++i) {
    int before = 0;
    for (int j = 0; j < i; ++j) before |= threads[i] == threads[j];
    found += !before;
  }
  return found;
}

static void handler(int number) { (void)number; }

__attribute__((noinline)) static int deeper(int depth) {
  volatile char frame[1024];
  frame[depth % 1024] = 1;
  return depth < 0 ? 0 : deeper(depth + 1) + frame[0];
}

static void compute(double s) {
  for (const double end = omp_get_wtime() + s; omp_get_wtime() < end;) {
  }
}

/* Another processor may be late beside other programs: then some more. */
static void generate_tasks(void) {
  do {
    compute(0.05);
    for (int i = 0; i < most; ++i) {
#pragma omp task firstprivate(i)
      {
        compute(0.001);
        drivers[i] = driving_thread();
      }
    }
#pragma omp taskwait
  } while (distinct(drivers, most) < 2);
}

static pthread_barrier_t meeting;
enum { meetings = 200 };
static void *meet(void *unused) {
  for (int i = 0; i < meetings; ++i) pthread_barrier_wait(&meeting);
  return unused;
}
static void meet_threads(unsigned others) {
  pthread_barrier_init(&meeting, 0, others + 1);
  for (unsigned i = 0; i < others; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, 0, meet, 0) != 0) return;
    pthread_detach(thread);
  }
  meet(0);
}

int main(int count, char **words) {
  const char *what = count > 1 ? words[1] : "";
  if (strcmp(what, "seated") == 0) meet_threads(2 * omp_get_num_procs());
  if (strcmp(what, "handled") == 0) signal(SIGURG, handler);
  const int tasks = strcmp(what, "tasks") == 0;
  int n = 0;
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
#pragma omp barrier
    drivers[me] = driving_thread();
    members[me] = (long)pthread_self();
#pragma omp single
    n = omp_get_num_threads();
    if (strcmp(what, "overflow") == 0 && me == n / 2) deeper(0);
#pragma omp single
    if (tasks) generate_tasks();
  }
  printf("%d members, %d identities, %d drivers\n", n, distinct(members, n), distinct(drivers, tasks ? most : n));
  return 0;
}
