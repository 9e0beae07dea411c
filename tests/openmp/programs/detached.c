/* task detach: a task completes when any thread has fulfilled its event; tasks that depend on it are executed after that. */
#include "check.h"
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

static int fulfilled, executed;

static void *fulfil_later(void *event) {
  usleep(2000);
  add(&fulfilled, 1);
  omp_fulfill_event((omp_event_handle_t)(size_t)event);
  return NULL;
}

static void later(omp_event_handle_t event) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, fulfil_later, (void *)(size_t)event) == 0);
  pthread_detach(thread);
}

static void taskwait_waits(void) {
  fulfilled = executed = 0;
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event)
    add(&executed, 1);
    later(event);
#pragma omp taskwait
    CHECK(__atomic_load_n(&executed, __ATOMIC_RELAXED) == 1);
    CHECK(__atomic_load_n(&fulfilled, __ATOMIC_RELAXED) == 1);
  }
}

static void so_do_groups_and_barriers(void) {
  fulfilled = 0;
#pragma omp parallel
  {
#pragma omp single
    {
#pragma omp taskgroup
      {
#pragma omp task
        {
          omp_event_handle_t event;
#pragma omp task detach(event)
          add(&executed, 1);
          later(event);
        }
      }
      CHECK(__atomic_load_n(&fulfilled, __ATOMIC_RELAXED) == 1);
    }
#pragma omp single nowait
    {
      omp_event_handle_t event;
#pragma omp task detach(event)
      add(&executed, 1);
      later(event);
    }
#pragma omp barrier
    CHECK(__atomic_load_n(&fulfilled, __ATOMIC_RELAXED) >= 2);
#pragma omp single nowait
    {
      omp_event_handle_t event;
#pragma omp task detach(event)
      add(&executed, 1);
      later(event);
    }
  }
  CHECK(fulfilled == 3);
}

/* The end of a loop with a reduction is a barrier too. */
static void so_do_loops(void) {
  int sum = 0;
  fulfilled = 0;
#pragma omp parallel
  {
#pragma omp for reduction(+ : sum) schedule(static, 1)
    for (int i = 0; i < asked(); ++i) {
      omp_event_handle_t event;
#pragma omp task detach(event)
      add(&executed, 1);
      later(event);
      sum += 1;
    }
    CHECK(sum == asked() && __atomic_load_n(&fulfilled, __ATOMIC_RELAXED) == asked());
  }
}

static void from_within(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; ++i) {
    omp_event_handle_t event;
#pragma omp task detach(event)
    omp_fulfill_event(event);
#pragma omp taskwait
  }
}

/* The creating thread continues, and fulfils the event later. */
static void what_depends_comes_after(void) {
#pragma omp parallel
#pragma omp single
  {
    int value = 0, readers = 0, other = 0;
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : value)
    add(&executed, 1);
    for (int i = 0; i < 3; ++i) {
#pragma omp task depend(in : value) shared(value, readers) firstprivate(i)
      {
        CHECK(value == 2);
        add(&readers, 1);
      }
    }
#pragma omp task depend(inout : value) shared(value, readers)
    {
      CHECK(readers == 3);
      value = 3;
    }
#pragma omp task depend(out : other) shared(other)
    other = 1;
#pragma omp taskwait depend(in : other)
    CHECK(__atomic_load_n(&other, __ATOMIC_RELAXED) == 1);
    CHECK(__atomic_load_n(&readers, __ATOMIC_RELAXED) == 0);
    value = 2;
    omp_fulfill_event(event);
#pragma omp task depend(in : value) if (0) shared(value)
    CHECK(value == 3);
#pragma omp taskwait
    CHECK(readers == 3 && value == 3);
  }
}

/* The thread that creates an undeferred or included task continues after its execution, and may fulfil its event then. */
static void undeferred(void) {
  fulfilled = executed = 0;
#pragma omp parallel
#pragma omp single
  {
    int value = 0;
    omp_event_handle_t event;
#pragma omp task detach(event) if (0)
    later(event);
#pragma omp taskwait
    CHECK(__atomic_load_n(&fulfilled, __ATOMIC_RELAXED) == 1);
#pragma omp task detach(event) if (0)
    executed = 1;
    CHECK(executed == 1);
    omp_fulfill_event(event);
#pragma omp task final(1)
    {
#pragma omp task detach(event)
      executed = 2;
      CHECK(executed == 2);
      omp_fulfill_event(event);
    }
#pragma omp taskwait
#pragma omp taskgroup
    {
#pragma omp task detach(event) if (asked() < 0) depend(out : value) shared(value)
      value = 1;
#pragma omp task depend(in : value) shared(value)
      {
        CHECK(value == 2);
        executed = 3;
      }
      CHECK(value == 1);
      value = 2;
      omp_fulfill_event(event);
    }
    CHECK(executed == 3);
  }
}

/* A task that must wait keeps its reduction and its large copy. */
static void kept_with_all_it_has(void) {
  long sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
  {
    int order = 0;
    long field[100];
    omp_event_handle_t event;
    for (int i = 0; i < 100; ++i) field[i] = i;
#pragma omp task detach(event) depend(out : order) in_reduction(+ : sum)
    sum += 1;
#pragma omp task depend(in : order) in_reduction(+ : sum) firstprivate(field)
    for (int i = 0; i < 100; ++i) sum += field[i];
    for (int i = 0; i < 100; ++i) field[i] = -1;
    omp_fulfill_event(event);
#pragma omp taskwait
  }
  CHECK(sum == 4951);
}

int main(void) {
  for (int i = 0; i < 5; ++i) {
    taskwait_waits();
    so_do_groups_and_barriers();
    so_do_loops();
    from_within();
    what_depends_comes_after();
    undeferred();
    kept_with_all_it_has();
  }
  return verdict();
}
