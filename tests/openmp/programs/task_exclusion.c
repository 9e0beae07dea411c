/* depend(mutexinoutset): tasks in any order, one at a time; a thread that finds one excluded goes on with others. */
#include "check.h"
#include <omp.h>
#include <sched.h>

enum { OBJECTS = 5, TASKS = 60 };

static int get(int *at) { return __atomic_load_n(at, __ATOMIC_ACQUIRE); }

/* The second task is generated after the first, which awaits an event that the second is to fulfil. */
static void in_any_order(void) {
  int object = 0, first = 0;
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : first)
    first = 1;
#pragma omp task depend(in : first) depend(mutexinoutset : object) shared(first)
    object += 10 * first;
#pragma omp task depend(mutexinoutset : object)
    {
      CHECK(object == 0);
      object += 1;
      omp_fulfill_event(event);
    }
#pragma omp taskwait
    CHECK(object == 11);
  }
}

/* The same with an undeferred task. */
static void undeferred_in_any_order(void) {
  int object = 0, first = 0;
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : first)
    first = 1;
#pragma omp task depend(in : first) depend(mutexinoutset : object) shared(first)
    object += 10 * first;
#pragma omp task depend(mutexinoutset : object) if (0)
    {
      CHECK(object == 0);
      object += 1;
    }
    omp_fulfill_event(event);
#pragma omp task depend(in : object) shared(object)
    CHECK(object == 11);
  }
}

/* One task keeps its object until a third is executed: the one that is excluded blocks no thread. */
static void no_thread_waits(void) {
  int object = 0, begun = 0, released = 0;
#pragma omp parallel
#pragma omp single
  if (omp_get_num_threads() > 1) {
#pragma omp task depend(mutexinoutset : object) shared(begun, released)
    {
      object = 1;
      add(&begun, 1);
      while (!get(&released)) sched_yield();
      CHECK(object == 1);
    }
    while (!get(&begun)) sched_yield();
    for (int i = 0; i < 10; ++i) {
#pragma omp task depend(mutexinoutset : object)
      object += 1;
    }
#pragma omp task shared(released)
    add(&released, 1);
#pragma omp taskwait
    CHECK(object == 11);
  }
}

/* Two of a ring of objects each, named in either order. */
static void several_objects(void) {
  int object[OBJECTS] = {0}, inside[OBJECTS] = {0};
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < TASKS; ++i) {
    const int a = i % OBJECTS, b = i % 2 ? (a + 1) % OBJECTS : (a + OBJECTS - 1) % OBJECTS;
#pragma omp task depend(mutexinoutset : object[a], object[b]) shared(object, inside) firstprivate(a, b)
    {
      CHECK(__atomic_fetch_add(&inside[a], 1, __ATOMIC_RELAXED) == 0);
      CHECK(__atomic_fetch_add(&inside[b], 1, __ATOMIC_RELAXED) == 0);
      const int one = object[a], other = object[b];
      sched_yield();
      object[a] = one + 1;
      object[b] = other + 1;
      add(&inside[a], -1);
      add(&inside[b], -1);
    }
  }
  for (int i = 0; i < OBJECTS; ++i) CHECK(object[i] == 2 * TASKS / OBJECTS);
}

/* A task keeps its object while it waits for its children, which name it too: they are nobody's siblings. */
static void with_children(void) {
  int object = 0, sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; ++i) {
#pragma omp task depend(mutexinoutset : object) shared(object, sum)
    {
      const int before = object;
      for (int k = 0; k < 3; ++k) {
#pragma omp task depend(mutexinoutset : object) shared(sum)
        sum += 1;
      }
#pragma omp taskwait
      object = before + 1;
    }
  }
  CHECK(object == 20 && sum == 60);
}

/* Between two that are ordered with all. */
static void sets_are_ordered(void) {
  int object = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 10; ++round) {
#pragma omp task depend(inout : object) firstprivate(round)
    CHECK(object++ == 10 * round);
    for (int i = 0; i < 8; ++i) {
#pragma omp task depend(mutexinoutset : object)
      object += 1;
    }
#pragma omp task depend(inout : object) firstprivate(round)
    CHECK(object++ == 10 * round + 9);
  }
  CHECK(object == 100);
}

int main(void) {
  for (int i = 0; i < 20; ++i) {
    in_any_order();
    undeferred_in_any_order();
    no_thread_waits();
    several_objects();
    with_children();
    sets_are_ordered();
  }
  return verdict();
}
