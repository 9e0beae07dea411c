/* Which kernel threads drive the members of teams of four, whose threads of the program divide the processors.
   shares WHAT TRIES: opens regions until it is so in almost all of 50 in a row, and says how many it took; "no" after TRIES times
   50: spread    one thread of the program: on two kernel threads at least together  as many threads as processors: each team on
   its primary thread's alone; and again "spread" when the others have ended quiet     "spread", though as many other threads as
   processors have opened regions, and live on bound     "spread"; then all tasks of the process may run on one processor only:
   its team on its primary thread's alone lasting   the same within one region, and "spread" again, when they may run on all
     waiting   (kernel threads) two threads of the program with teams of as many members as processors: members that wait for
               their primary threads, which are late, give their processors away
   or, of teams of as many members as processors, and beside as many other processes, which end in the second region:
     begins    the first region: on its primary thread's alone
     computes  the same; then one region, whose members do not wait: on two at least, sooner or later
     tasks     one region, all of whose work is in tasks: the same */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "binding.h"
#include "driving_thread.h"

enum { row = 50, enough = 45 };
static int size = 4;
static int tries, processors, alone_at_last;

/* Of a region: is it driven by the primary thread's kernel thread alone? */
static int is_alone(void) {
  long drivers[size];
#pragma omp parallel num_threads(size)
  {
    drivers[omp_get_thread_num()] = driving_thread();
#pragma omp barrier
  }
  int others = 0;
  for (int i = 1; i < size; ++i) others += drivers[i] != drivers[0];
  return others == 0;
}

/* -1: not within all tries. */
static int regions_until(int alone) {
  for (int i = 1; i <= tries; ++i) {
    int so = 0;
    for (int k = 0; k < row; ++k) so += is_alone() == alone;
    if (so >= enough) return i * row;
    usleep(2000);
  }
  return -1;
}

/* Opens regions until each thread has seen its own. */
static void *beside(void *unused) {
  (void)unused;
  if (regions_until(1) > 0) __atomic_fetch_add(&alone_at_last, 1, __ATOMIC_SEQ_CST);
  for (int i = 0; i < tries && __atomic_load_n(&alone_at_last, __ATOMIC_SEQ_CST) < processors; ++i) regions_until(1);
  return NULL;
}

static pthread_barrier_t opened, at_the_end;
static void *quiet(void *unused) {
  is_alone();
  pthread_barrier_wait(&opened);
  pthread_barrier_wait(&at_the_end);
  return unused;
}

/* How often one region's drivers have changed as they shall, of three times. */
static int changes_of_one_region(const cpu_set_t *mask) {
  const cpu_set_t first = first_of(mask);
  long drivers[size];
  int changes = 0, row_of_it = 0, go_on = 1;
  const double until = omp_get_wtime() + tries * 0.01;
#pragma omp parallel num_threads(size)
  while (go_on) {
    drivers[omp_get_thread_num()] = driving_thread();
#pragma omp barrier
#pragma omp master
    {
      int others = 0;
      for (int m = 1; m < size; ++m) others += drivers[m] != drivers[0];
      row_of_it = (others == 0) == (changes == 1) ? row_of_it + 1 : 0;
      if (row_of_it == enough) {
        ++changes;
        row_of_it = 0;
        bind_all_to(changes == 1 ? &first : mask);
      }
      go_on = changes < 3 && omp_get_wtime() < until;
    }
#pragma omp barrier
  }
  return changes;
}

/* In ms of processor time, of each that waits: 5 awake, half of one where others want the processor. */
enum { late_us = 20000, late_regions = 10 };
static const double brief = 2;
static void *late(void *unused) {
  for (int i = 0; i < late_regions; ++i) {
#pragma omp parallel num_threads(processors)
    if (omp_get_thread_num() == 0) usleep(late_us);
  }
  return unused;
}
static int waits_briefly(void) {
  for (int i = 0; i < tries; ++i) {
    pthread_t other;
    const clock_t before = clock();
    pthread_create(&other, NULL, late, NULL);
    late(NULL);
    pthread_join(other, NULL);
    const double ms = (double)(clock() - before) * 1e3 / CLOCKS_PER_SEC;
    if (ms / (2 * (processors - 1) * late_regions) < brief) return 1;
  }
  return 0;
}

/* Other programs, one that never waits for each processor. */
static pid_t others_are[CPU_SETSIZE];
static void begin_others(void) {
  int *const begun = mmap(NULL, sizeof *begun, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < processors; ++i) {
    others_are[i] = fork();
    if (others_are[i] != 0) continue;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (__atomic_fetch_add(begun, 1, __ATOMIC_SEQ_CST);;) {
    }
  }
  while (__atomic_load_n(begun, __ATOMIC_SEQ_CST) < processors) usleep(1000);
}
static void kill_others(void) {
  for (int i = 0; i < processors; ++i) kill(others_are[i], SIGKILL);
}

/* Computes for a while, and then asks by which kernel thread it is driven. */
static void compute(long *first, int *others) {
  for (const double end = omp_get_wtime() + 2e-4; omp_get_wtime() < end;) {
  }
  const long driver = driving_thread();
  long nobody = 0;
  if (!__atomic_compare_exchange_n(first, &nobody, driver, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) && nobody != driver)
    __atomic_store_n(others, 1, __ATOMIC_SEQ_CST);
}
static int some_elsewhere(int in_tasks) {
  long first = 0;
  int others = 0;
  const double until = omp_get_wtime() + tries * 0.01;
#pragma omp parallel num_threads(size)
  {
#pragma omp master
    kill_others(); /* without a wait, which would give the processor away */
    if (!in_tasks) {
      while (!__atomic_load_n(&others, __ATOMIC_SEQ_CST) && omp_get_wtime() < until) compute(&first, &others);
    } else {
#pragma omp single
      while (!__atomic_load_n(&others, __ATOMIC_SEQ_CST) && omp_get_wtime() < until) {
        for (int i = 0; i < size; ++i) {
#pragma omp task shared(first, others)
          compute(&first, &others);
        }
#pragma omp taskwait
      }
    }
  }
  return others;
}

int main(int count, char **words) {
  if (count != 3) return 2;
  tries = atoi(words[2]);
  processors = omp_get_num_procs();
  omp_set_dynamic(0);
  cpu_set_t mask;
  sched_getaffinity(0, sizeof mask, &mask);
  if (strcmp(words[1], "waiting") == 0) printf("brief %s\n", waits_briefly() ? "yes" : "no");
  if (strcmp(words[1], "lasting") == 0) printf("changes %d\n", changes_of_one_region(&mask));
  if (strcmp(words[1], "spread") == 0 || strcmp(words[1], "bound") == 0) {
    printf("spread %s\n", regions_until(0) > 0 ? "yes" : "no");
  }
  if (strcmp(words[1], "bound") == 0) {
    const cpu_set_t first = first_of(&mask);
    bind_all_to(&first);
    printf("alone %s\n", regions_until(1) > 0 ? "yes" : "no");
  }
  if (strcmp(words[1], "begins") == 0 || strcmp(words[1], "computes") == 0 || strcmp(words[1], "tasks") == 0) {
    begin_others();
    size = processors;
    printf("alone %s\n", is_alone() ? "yes" : "no");
    if (strcmp(words[1], "begins") == 0) kill_others();
    if (strcmp(words[1], "begins") != 0) printf("spread %s\n", some_elsewhere(strcmp(words[1], "tasks") == 0) ? "yes" : "no");
  }
  pthread_t others[CPU_SETSIZE];
  if (strcmp(words[1], "quiet") == 0) {
    pthread_barrier_init(&opened, NULL, (unsigned)processors + 1);
    pthread_barrier_init(&at_the_end, NULL, (unsigned)processors + 1);
    for (int i = 0; i < processors; ++i) pthread_create(&others[i], NULL, quiet, NULL);
    pthread_barrier_wait(&opened);
    printf("spread %s\n", regions_until(0) > 0 ? "yes" : "no");
    pthread_barrier_wait(&at_the_end);
    for (int i = 0; i < processors; ++i) pthread_join(others[i], NULL);
  }
  if (strcmp(words[1], "together") == 0) {
    for (int i = 1; i < processors; ++i) pthread_create(&others[i], NULL, beside, NULL);
    beside(NULL);
    for (int i = 1; i < processors; ++i) pthread_join(others[i], NULL);
    printf("alone %s\n", alone_at_last == processors ? "yes" : "no");
    printf("spread %s\n", regions_until(0) > 0 ? "yes" : "no");
  }
  return 0;
}
