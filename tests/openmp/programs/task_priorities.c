/* priority: of the tasks that may begin, members prefer those of higher priority. */
#include "check.h"
#include <omp.h>
#include <sched.h>
#include <unistd.h>

enum { MOST = 10, TASKS = 24 };
static int order[TASKS], done;

static int get(int *at) { return __atomic_load_n(at, __ATOMIC_ACQUIRE); }
static void note(int priority) { order[__atomic_fetch_add(&done, 1, __ATOMIC_RELAXED)] = priority; }

/* The member that does not generate is kept busy, so that one thread executes the tasks. */
static void keep_other_busy(int *begun, int *released) {
#pragma omp task
  {
    add(begun, 1);
    while (!get(released)) sched_yield();
  }
  while (!get(begun)) sched_yield();
}

static void descend(int from, int count) {
  for (int i = from; i + 1 < from + count; ++i) CHECK(order[i] >= order[i + 1]);
}

/* One thread executes the tasks, of which there are so many, and does so in the order of their priorities. */
static void by_one_thread(void (*generate)(void), int count) {
  int begun = 0, released = 0;
  done = 0;
#pragma omp parallel num_threads(asked() < 2 ? 1 : 2)
#pragma omp single
  if (omp_get_num_threads() > 1) {
    keep_other_busy(&begun, &released);
#pragma omp taskgroup
    generate();
    CHECK(done == count);
    descend(0, count);
    add(&released, 1);
  }
}

static void tasks(void) {
  for (int i = 0; i < TASKS; ++i) {
    const int priority = i * 7 % (MOST + 1);
#pragma omp task priority(priority) firstprivate(priority)
    note(priority);
  }
}

/* Tasks that a dependence has kept from beginning. */
static void successors(void) {
  static int object;
#pragma omp task depend(out : object)
  note(MOST);
  for (int i = 0; i < MOST; ++i) {
#pragma omp task depend(in : object) priority(i % 2 == 0 ? i : MOST - i) firstprivate(i)
    note(i % 2 == 0 ? i : MOST - i);
  }
}

/* Each task of a taskloop has its priority, and a priority above the greatest is the greatest. */
static void loops(void) {
#pragma omp taskloop nogroup num_tasks(4) priority(3)
  for (int i = 0; i < 4; ++i) note(3);
#pragma omp taskloop nogroup num_tasks(4) priority(1000000)
  for (int i = 0; i < 4; ++i) note(MOST);
#pragma omp taskloop nogroup num_tasks(4)
  for (int i = 0; i < 4; ++i) note(0);
}

/* A member that waits in a task begins only what is below that task, whatever the priority of others. */
static void below_the_task_that_waits(void) {
  int order_kept = 1, outer = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; ++i) {
#pragma omp task priority(MOST) shared(order_kept, outer)
    {
      static _Thread_local int inside;
      if (inside) order_kept = 0;
      inside = 1;
#pragma omp task priority(1)
      sched_yield();
#pragma omp task
      sched_yield();
#pragma omp taskwait
      inside = 0;
      add(&outer, 1);
    }
  }
  CHECK(order_kept && outer == 50);
}

static int tree(int depth) {
  int left = 0, right = 0;
  if (depth == 0) return 1;
#pragma omp task shared(left) priority(depth)
  left = tree(depth - 1);
#pragma omp task shared(right) priority(1)
  right = tree(depth - 1);
#pragma omp taskwait
  return left + right;
}

static void trees(void) {
  int leaves = 0;
#pragma omp parallel
#pragma omp single
  leaves = tree(12);
  CHECK(leaves == 4096);
}

int main(int count, char **arguments) {
  (void)count;
  if (getenv("OMP_MAX_TASK_PRIORITY") == NULL) { /* without it priorities have no effect */
    CHECK(omp_get_max_task_priority() == 0);
    setenv("OMP_MAX_TASK_PRIORITY", "10", 1);
    return wrongs > 0 || execv("/proc/self/exe", arguments);
  }
  CHECK(omp_get_max_task_priority() == MOST);
  for (int i = 0; i < 10; ++i) {
    by_one_thread(tasks, TASKS);
    by_one_thread(successors, MOST + 1);
    by_one_thread(loops, 12);
    below_the_task_that_waits();
  }
  trees();
  return verdict();
}
