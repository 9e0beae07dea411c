/* What `weir trace` records, by the first argument; the second is how many milliseconds a member computes, or how many barriers
 * it passes. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double amount;

/* Until this thread has had so much processor time. */
static void compute(void) {
  struct timespec begin, now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  while (1e3 * (double)(now.tv_sec - begin.tv_sec) + 1e-6 * (double)(now.tv_nsec - begin.tv_nsec) < amount);
}

/* The serial part, the first member and the last compute, each before another barrier; the second sleeps. */
static void work(void) {
  compute();
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) compute();
    if (omp_get_thread_num() == 1) usleep((useconds_t)(2e3 * amount));
#pragma omp barrier
    if (omp_get_thread_num() == omp_get_num_threads() - 1) compute();
  }
  compute();
}

static void worksharing(void) {
  int copied = 0;
#pragma omp parallel firstprivate(copied)
  {
#pragma omp for schedule(dynamic, 2)
    for (int i = 0; i < 20; ++i) __asm__ volatile("" : : "r"(i));
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 20; ++i) __asm__ volatile("" : : "r"(i));
#pragma omp sections
    {
#pragma omp section
      __asm__ volatile("");
#pragma omp section
      __asm__ volatile("");
    }
#pragma omp single
    __asm__ volatile("");
#pragma omp single nowait
    __asm__ volatile("");
#pragma omp single copyprivate(copied)
    copied = 1;
#pragma omp master
    __asm__ volatile("");
    if (copied != 1) abort();
#pragma omp parallel num_threads(1) /* its barriers are none */
    {
#pragma omp barrier
#pragma omp barrier
    }
  }
#pragma omp parallel num_threads(1)
  {
#pragma omp barrier
  }
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < 20; ++i) __asm__ volatile("" : : "r"(i));
}

struct sums {
  double some[3];
};
static void add(struct sums *to, const struct sums *from) {
  for (int i = 0; i < 3; ++i) to->some[i] += from->some[i];
}
#pragma omp declare reduction(add : struct sums : add(&omp_out, &omp_in)) initializer(omp_priv = (struct sums){{0, 0, 0}})

static void exclusion(void) {
  omp_lock_t lock, tried;
  omp_nest_lock_t nested;
  omp_init_lock(&lock);
  omp_init_lock(&tried);
  omp_init_nest_lock(&nested);
  struct sums total = {{0, 0, 0}};
#pragma omp parallel reduction(add : total)
  {
#pragma omp critical
    total.some[0] += 1;
#pragma omp critical(named)
    total.some[1] += 1;
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
    while (!omp_test_lock(&tried)) {
    }
    omp_unset_lock(&tried);
    omp_set_nest_lock(&nested);
    if (omp_test_nest_lock(&nested) != 2) abort();
    omp_unset_nest_lock(&nested);
    omp_unset_nest_lock(&nested);
  }
  if (total.some[0] != total.some[1]) abort();
}

static void many(void) {
#pragma omp parallel
  for (int i = 2; i < amount; ++i) {
#pragma omp barrier
  }
}

/* The first member ends the program in front of a barrier at which the others most likely are. They have left the one before. */
static void ends(void) {
  int others = 0;
#pragma omp parallel
  {
#pragma omp barrier
#pragma omp barrier
    if (omp_get_thread_num() == 0) {
      while (__atomic_load_n(&others, __ATOMIC_ACQUIRE) < omp_get_num_threads() - 1) usleep(100);
      usleep(50000);
      _exit(3);
    }
    __atomic_fetch_add(&others, 1, __ATOMIC_RELEASE);
#pragma omp barrier
  }
}

/* None of the following can be recorded. */
static void nested(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel
#pragma omp parallel num_threads(2)
  __asm__ volatile("");
}

static void sizes(void) {
#pragma omp parallel num_threads(2)
  __asm__ volatile("");
#pragma omp parallel num_threads(3)
  __asm__ volatile("");
}

static void tasks(void) {
#pragma omp parallel
#pragma omp single
#pragma omp task
  __asm__ volatile("");
}

static void ordered(void) {
#pragma omp parallel for ordered
  for (int i = 0; i < 4; ++i) {
#pragma omp ordered
    __asm__ volatile("");
  }
}

static void *region(void *unused) {
#pragma omp parallel
  __asm__ volatile("");
  return unused;
}

static void threads(void) {
  region(NULL);
  pthread_t other;
  pthread_create(&other, NULL, region, NULL);
  pthread_join(other, NULL);
}

static void processes(void) {
  for (int i = 0; i < 2; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      region(NULL);
      _exit(0);
    }
    waitpid(child, NULL, 0);
  }
}

static void none(void) {}

int main(int count, char **words) {
  static const struct {
    const char *name;
    void (*run)(void);
  } known[] = {{"work", work},     {"worksharing", worksharing}, {"exclusion", exclusion}, {"many", many},
               {"ends", ends},     {"nested", nested},           {"sizes", sizes},         {"tasks", tasks},
               {"ordered", ordered}, {"threads", threads},       {"processes", processes}, {"none", none}};
  if (count > 2) amount = atof(words[2]);
  for (unsigned i = 0; i < sizeof known / sizeof known[0]; ++i)
    if (count > 1 && strcmp(words[1], known[i].name) == 0) {
      known[i].run();
      puts("done");
      return 0;
    }
  return 2;
}
