/* A known number of each directive. Each team has T threads, as OMP_NUM_THREADS says; the comments give the counts. */
#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long sum;

static void regions(void) {
  for (int k = 0; k < 7; ++k) { /* parallel: 7 */
#pragma omp parallel
    sum = 1;
  }
#pragma omp parallel if (0) /* parallel of 1 thread: 1 */
  sum = 1;
#pragma omp parallel num_threads(3) /* parallel of 3 threads: 1 */
  {
#pragma omp parallel num_threads(2) /* parallel of 1 thread, because one level may be active: 3 */
    sum = 1;
  }
}

static void worksharing(void) {
  long copied = 0;
#pragma omp parallel firstprivate(copied) /* parallel: 1 */
  for (int k = 0; k < 5; ++k) {
#pragma omp barrier /* barrier: 5 */
#pragma omp for schedule(dynamic, 2) /* for: 5, chunks: 5 * 10 */
    for (int i = 0; i < 20; ++i) sum = i;
#pragma omp for schedule(guided, 100) nowait /* for nowait: 5, chunks: 5 */
    for (int i = 0; i < 20; ++i) sum = i;
#pragma omp sections /* sections: 5 */
    {
#pragma omp section
      sum = 1;
#pragma omp section
      sum = 2;
    }
#pragma omp single /* single: 5 */
    sum = 1;
#pragma omp barrier /* barrier: 5, so that the next construct does not count as its end */
#pragma omp single copyprivate(copied) /* copyprivate: 5; LLVM's is a single and two barriers: single 5, barrier 5 */
    copied = k;
  }
}

static void exclusion(void) {
  omp_lock_t lock;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
#pragma omp parallel /* parallel: 1 */
  {
    for (int k = 0; k < 11; ++k) {
#pragma omp critical /* critical: 11 T */
      sum = 1;
#pragma omp critical(named) /* critical: 11 T */
      sum = 1;
      omp_set_lock(&lock); /* lock: 11 T */
      omp_unset_lock(&lock);
      omp_set_nest_lock(&nest); /* nest-lock: 11 T */
      omp_unset_nest_lock(&nest);
    }
#pragma omp for ordered schedule(static, 1) /* for: 1, ordered: 24 */
    for (int i = 0; i < 24; ++i) {
#pragma omp ordered
      sum = i;
    }
  }
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
}

static void tasks(void) {
#pragma omp parallel /* parallel: 1 */
#pragma omp single  /* single: 1 */
  {
    for (int k = 0; k < 13; ++k) {
#pragma omp task /* task: 13 */
      sum = k;
    }
#pragma omp taskwait /* taskwait: 1 */
    char link = 0;
    for (int k = 0; k < 3; ++k) {
#pragma omp task depend(inout : link) /* task-dependences: 3 */
      sum = link;
    }
#pragma omp taskgroup /* taskgroup: 1 */
    {
#pragma omp task /* task: 1 */
      sum = 1;
    }
  }
}

static void loops_of_tasks(void) {
#pragma omp parallel /* parallel: 1 */
#pragma omp single   /* single: 1 */
  {
#pragma omp taskloop grainsize(1) /* taskloop: 1; LLVM's is 10 tasks and a taskgroup */
    for (int i = 0; i < 40; i += 4) __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
#pragma omp taskloop grainsize(1) /* taskloop: 1; LLVM's is as above: with more tasks it splits the loop among other tasks */
    for (unsigned long i = 0; i < 60; i += 6) __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
  }
  if (sum != 20) raise(SIGABRT); /* all eleven arguments must have been passed on: step is the last */
}

static void library_call(void) {
#pragma omp parallel num_threads(3) /* 1 thread inside a team, 3 inside a team of one */
  {
#pragma omp barrier
    sum = 1;
  }
}

static void single_around_a_region(void) {
#pragma omp parallel /* parallel: 1 */
  for (int k = 0; k < 50; ++k) {
#pragma omp single /* single: 50, executed by the first thread to arrive; in it 50 regions of 1 and their barriers */
    library_call();
  }
}

static void tried_locks(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel /* parallel: 1 */
  for (int k = 0; k < 11; ++k) {
    while (!omp_test_lock(&lock)) sched_yield(); /* lock: 11 T, however often it fails */
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
}

static void end_inside(void) {
#pragma omp parallel /* parallel: 1 */
  {
#pragma omp barrier /* barrier: 1 */
#pragma omp master
    _exit(0);
#pragma omp barrier
  }
}

static void barriers(int count) {
#pragma omp parallel
  for (int k = 0; k < count; ++k) {
#pragma omp barrier
  }
}

int main(int count, char **words) {
  const char *what = count > 1 ? words[1] : "";
  if (strcmp(what, "regions") == 0) regions();
  if (strcmp(what, "worksharing") == 0) worksharing();
  if (strcmp(what, "exclusion") == 0) exclusion();
  if (strcmp(what, "tasks") == 0) tasks();
  if (strcmp(what, "taskloops") == 0) loops_of_tasks();
  if (strcmp(what, "nested") == 0) single_around_a_region();
  if (strcmp(what, "tried") == 0) tried_locks();
  if (strcmp(what, "inside") == 0) end_inside();
  if (strcmp(what, "barriers") == 0) barriers(17);
  if (strcmp(what, "fork") == 0) { /* before the parent's first region: no runtime promises more */
    if (fork() == 0) {
      barriers(19);
      _exit(0);
    }
    wait(NULL);
    barriers(17);
  }
  if (strcmp(what, "exec") == 0) {
    barriers(17);
    execl(words[0], words[0], "barriers", (char *)NULL);
  }
  if (strcmp(what, "exit") == 0) {
    barriers(17);
    _exit(5);
  }
  if (strcmp(what, "kill") == 0) {
    barriers(17);
    raise(SIGKILL);
  }
  if (strcmp(what, "echo") == 0) {
    char line[80];
    barriers(1);
    if (fgets(line, sizeof line, stdin) != NULL) fputs(line, stdout);
  }
  return 0;
}
