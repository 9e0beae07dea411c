/* errno is the program's: no construct changes it, however its threads wait. Some wait long enough to sleep, and a signal
   interrupts the first one's sleep. */
#include "check.h"
#include <errno.h>
#include <omp.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

enum { MINE = 4242 };

static omp_lock_t lock;
static omp_nest_lock_t nest;

/* What takes its time leaves others waiting: long enough for them to sleep, and so short that it may be over when they would. */
static void take_time(int turn) {
  const struct timespec some = {0, turn % 3 == 0 ? 2000000 : 20000};
  nanosleep(&some, NULL);
  errno = MINE;
}

static void interrupted(int signal) { (void)signal; }

#define KEPT(...)      \
  do {                 \
    errno = MINE;      \
    __VA_ARGS__;       \
    CHECK(errno == MINE); \
  } while (0)

static void exclusion(int turns) {
  for (int i = 0; i < turns; ++i) {
    errno = MINE;
#pragma omp critical
    take_time(i);
    CHECK(errno == MINE);
    KEPT(omp_set_lock(&lock));
    take_time(i);
    KEPT(omp_unset_lock(&lock));
    KEPT(omp_set_nest_lock(&nest));
    KEPT(omp_unset_nest_lock(&nest));
  }
}

static void meeting(int turns) {
  for (int i = 0; i < turns; ++i) {
    if (omp_get_thread_num() == i % omp_get_num_threads()) take_time(i);
    errno = MINE;
#pragma omp barrier
    CHECK(errno == MINE);
#pragma omp single
    take_time(i);
    CHECK(errno == MINE);
#pragma omp for schedule(dynamic) ordered
    for (int k = 0; k < 2 * omp_get_num_threads(); ++k) {
#pragma omp ordered
      take_time(k);
    }
    CHECK(errno == MINE);
  }
}

static void tasks(int turns) {
  for (int i = 0; i < turns; ++i) {
    int done = 0;
    errno = MINE;
#pragma omp taskgroup
#pragma omp task shared(done)
    {
      take_time(i);
      add(&done, 1);
    }
#pragma omp task shared(done)
    {
      take_time(i);
      add(&done, 1);
    }
#pragma omp taskwait
    CHECK(errno == MINE && done == 2);
  }
}

static void regions(int turns) {
  for (int i = 0; i < turns; ++i) {
    int sum = 0;
    errno = MINE;
#pragma omp parallel reduction(+ : sum)
    {
      if (omp_get_thread_num() == i % omp_get_num_threads()) take_time(i);
      sum += 1;
    }
    CHECK(errno == MINE && sum == asked());
  }
}

int main(void) {
  const int turns = asked() <= 8 ? 12 : 3;
  const struct sigaction action = {.sa_handler = interrupted};
  const struct itimerval often = {{0, 500}, {0, 500}};
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &often, NULL);
  errno = MINE;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  CHECK(errno == MINE);
  regions(turns);
#pragma omp parallel
  {
    exclusion(turns);
    meeting(turns);
    tasks(turns);
  }
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
  return verdict();
}
