/* True races, by the name in RACE: ThreadSanitizer reports each, whatever the runtime tells it of what is ordered. */
#include "check.h"
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

enum { N = 64 };
static int field[N], shared, sum;

static int neighbour(int i) { return field[(i + 1) % N]; }

static void two_members_write(void) {
#pragma omp parallel
  shared = omp_get_thread_num();
}

static void no_critical(void) {
#pragma omp parallel
  {
#pragma omp critical
    ++shared;
    ++sum;
  }
}

static void another_critical(void) {
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0)
#pragma omp critical(one)
      ++shared;
    else
#pragma omp critical(other)
      ++shared;
  }
}

/* The two loops deal the iterations in other ways. */
static void nowait(void) {
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < N; ++i) field[i] = i;
#pragma omp for schedule(static, 1)
    for (int i = 0; i < N; ++i) add(&sum, neighbour(i));
  }
}

/* Slots are set up, and left, by one member and found so by the others: that orders nothing. */
static void nowait_of_a_shared_loop(void) {
#pragma omp parallel
  {
    int me = omp_get_thread_num();
    field[me] = me;
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < N; ++i) add(&sum, i);
    add(&sum, field[(me + 1) % omp_get_num_threads()]);
  }
}

static void nowait_of_a_single(void) {
#pragma omp parallel
  {
#pragma omp single nowait
    shared = 1;
    add(&sum, shared);
  }
}

/* Who leaves the first barrier late finds those who have come to the second: they are not in its past. */
static void between_two_barriers(void) {
#pragma omp parallel
  {
#pragma omp barrier
    if (omp_get_thread_num() == 0) shared = 1;
    else add(&sum, shared);
#pragma omp barrier
  }
}

static void beside_the_ordered_part(void) {
#pragma omp parallel for ordered schedule(static, 1)
  for (int i = 0; i < N; ++i) {
#pragma omp ordered
    add(&sum, i);
    ++shared;
  }
}

static void before_the_sink(void) {
#pragma omp parallel for ordered(1) schedule(static, 1)
  for (int i = 0; i < N; ++i) {
    ++shared;
#pragma omp ordered depend(sink : i - 1)
#pragma omp ordered depend(source)
  }
}

static void *run_team(void *nothing) {
#pragma omp parallel
  if (omp_get_thread_num() == omp_get_num_threads() - 1) ++shared;
  return nothing;
}

static void of_two_teams(void) {
  pthread_t other;
  pthread_create(&other, NULL, run_team, NULL);
  run_team(NULL);
  pthread_join(other, NULL);
}

/* ---- tasks; each takes so long that others execute some, too */

/* On a busy machine another thread may not have run yet that is to take the next task. */
static void take_a_while(void) {
  sched_yield();
  for (volatile int i = 0; i < 20000; ++i) {
  }
}

static void of_two_tasks(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 8; ++i) {
#pragma omp task
    {
      take_a_while();
      ++shared;
    }
  }
}

static void of_a_task_and_its_parent(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 8; ++i) {
#pragma omp task
    ++shared;
    take_a_while();
    ++shared;
  }
}

/* taskwait is for children, not for theirs. */
static void of_a_grandchild(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 8; ++i) {
#pragma omp task
    {
#pragma omp task
      {
        take_a_while();
        ++shared;
      }
    }
#pragma omp taskwait
    ++shared;
  }
}

static void of_two_readers(void) {
  int object = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 8; ++i) {
#pragma omp task depend(in : object)
    {
      take_a_while();
      ++shared;
    }
  }
}

/* Each names its own object. */
static void of_two_chains(void) {
  int object[2] = {0};
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 8; ++i) {
#pragma omp task depend(inout : object[i % 2])
    {
      take_a_while();
      ++shared;
    }
  }
}

/* Only siblings depend on each other. */
static void of_cousins(void) {
  int object = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 8; ++i) {
#pragma omp task
    {
#pragma omp task depend(inout : object)
      {
        take_a_while();
        ++shared;
      }
    }
  }
}

static void of_exclusive_tasks_and_others(void) {
  int object = 0, other = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 8; ++i) {
#pragma omp task depend(mutexinoutset : object)
    {
      take_a_while();
      ++shared;
    }
#pragma omp task depend(mutexinoutset : other)
    {
      take_a_while();
      ++shared;
    }
  }
}

#define RACE(name) {#name, name}
static const struct {
  const char *name;
  void (*run)(void);
} RACES[] = {
    RACE(two_members_write),     RACE(no_critical),        RACE(another_critical),
    RACE(nowait),                RACE(nowait_of_a_shared_loop), RACE(nowait_of_a_single),
    RACE(between_two_barriers),  RACE(beside_the_ordered_part), RACE(before_the_sink),
    RACE(of_two_teams),          RACE(of_two_tasks),       RACE(of_a_task_and_its_parent),
    RACE(of_a_grandchild),       RACE(of_two_readers),     RACE(of_two_chains),
    RACE(of_cousins),            RACE(of_exclusive_tasks_and_others),
};

int main(void) {
  const char *wanted = getenv("RACE");
  for (unsigned i = 0; i < sizeof RACES / sizeof *RACES; ++i)
    if (wanted != NULL && strcmp(wanted, RACES[i].name) == 0) {
      /* It misses some where two threads are at it at the very same time. */
      for (int round = 0; round < 50; ++round) RACES[i].run();
      return verdict();
    }
  fprintf(stderr, "RACE names no race\n");
  return 2;
}
