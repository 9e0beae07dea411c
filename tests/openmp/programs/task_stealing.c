/* Tasks are executed later and by other threads: who executes which, and what they may rely on meanwhile. */
#include "check.h"
#include <omp.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ADDRESSES = 6, STEPS = 400, MANY = 1000000 };

static int get(int *at) { return __atomic_load_n(at, __ATOMIC_ACQUIRE); }

/* Two tasks of one thread that wait for each other: another thread executes one of them. */
static void generate_two_in_step(int *begun) {
  for (int i = 0; i < 2; ++i) {
#pragma omp task
    {
      add(begun, 1);
      while (get(begun) < 2) sched_yield();
    }
  }
}

/* By a thread that waits at the barrier, and that sleeps there if the tasks come late. */
static void others_take_them(int after_us) {
  int begun = 0;
#pragma omp parallel
#pragma omp single
  if (omp_get_num_threads() > 1) {
    if (after_us > 0) usleep(after_us);
    generate_two_in_step(&begun);
  }
}

/* The same at the end of a region, where there is no further barrier. */
static void at_the_end_of_a_region(void) {
  int begun = 0;
#pragma omp parallel
  if (omp_get_thread_num() == 0 && omp_get_num_threads() > 1) generate_two_in_step(&begun);
}

/* A task that waits at taskyield for one that its creator creates later. */
static void taskyield_lets_others_go_on(void) {
  int flag = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(flag)
    add(&flag, 1);
    while (omp_get_num_threads() > 1 && get(&flag) == 0) {
#pragma omp taskyield
    }
  }
  CHECK(flag == 1);
}

/* While a tied task waits for its children, its thread begins no task but those below it [OpenMP 5.2, 12.9]: what the task holds
 * for its thread, no other task finds held. */
static int held;
#pragma omp threadprivate(held)

static void a_tied_task_bounds_what_its_thread_begins(void) {
  int intruders = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 200; ++i) {
#pragma omp task shared(intruders)
    {
      if (held) add(&intruders, 1);
      held = 1;
      for (int k = 0; k < 3; ++k) {
#pragma omp task
        sched_yield();
      }
#pragma omp taskwait
      held = 0;
    }
  }
  CHECK(intruders == 0);
}

/* Who waits long for a task that another thread executes sleeps, and is woken. */
static void begin_slowly(int *begun, int *done) {
  add(begun, 1);
  usleep(20000);
  add(done, 1);
}

static void sleepers_are_woken(void) {
  int begun = 0, done = 0, released = 0;
#pragma omp parallel
  {
#pragma omp single
    if (omp_get_num_threads() > 1) {
#pragma omp task shared(begun, done)
      {
#pragma omp task shared(begun, done)
        begin_slowly(&begun, &done);
        while (get(&begun) < 1) sched_yield();
#pragma omp taskwait
        CHECK(done == 1);
#pragma omp taskgroup
        {
#pragma omp task shared(begun, done)
          {
#pragma omp task shared(begun, done)
            begin_slowly(&begun, &done);
          }
          while (get(&begun) < 2) sched_yield();
        }
        CHECK(done == 2);
      }
#pragma omp taskwait
#pragma omp task shared(begun, done)
      begin_slowly(&begun, &done);
      while (get(&begun) < 3) sched_yield();
    }
    CHECK(done == 3 || omp_get_num_threads() == 1); /* behind the barrier */
#pragma omp barrier
#pragma omp single
    if (omp_get_num_threads() > 2) {
#pragma omp task shared(begun, released)
      {
        add(&begun, 1);
        while (!get(&released)) sched_yield();
      }
#pragma omp task shared(begun, done) depend(out : done)
      begin_slowly(&begun, &done);
      while (get(&begun) < 5) sched_yield();
#pragma omp taskwait depend(in : done)
      CHECK(done == 4);
      add(&released, 1);
    }
  }
}

/* Each task keeps its thread until all have begun: however many threads are awake, one more is woken for the next. */
static void each_sleeper_is_woken(void) {
  int begun = 0, released = 0;
#pragma omp parallel
#pragma omp single
  {
    usleep(30000);
    for (int i = 1; i < omp_get_num_threads(); ++i) {
#pragma omp task shared(begun, released)
      {
        add(&begun, 1);
        while (!get(&released)) sched_yield();
      }
      while (get(&begun) < i) sched_yield();
    }
    add(&released, 1);
  }
}

/* Random tasks that read and write a few variables: the result is that of their order in the program. */
static unsigned step(unsigned *seed) { return *seed = *seed * 1664525u + 1013904223u; }

static void dependences_keep_the_order(unsigned seed) {
  unsigned long expected[ADDRESSES] = {0}, value[ADDRESSES] = {0};
  unsigned from[STEPS], to[STEPS];
  for (int i = 0; i < STEPS; ++i) {
    from[i] = (step(&seed) >> 8) % ADDRESSES;
    to[i] = (step(&seed) >> 8) % ADDRESSES;
    expected[to[i]] = expected[to[i]] * 31 + expected[from[i]] + (unsigned)i;
  }
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < STEPS; ++i) {
    unsigned long *in = &value[from[i]], *out = &value[to[i]];
    if (i % 97 == 0) {
#pragma omp task depend(in : *in) depend(inout : *out) if (0)
      *out = *out * 31 + *in + (unsigned)i;
    } else if (in == out) {
#pragma omp task depend(inout : *out)
      *out = *out * 31 + *out + (unsigned)i;
    } else {
#pragma omp task depend(in : *in) depend(inout : *out)
      *out = *out * 31 + *in + (unsigned)i;
    }
  }
  CHECK(memcmp(expected, value, sizeof value) == 0);
}

/* Many readers between two writers, and waits for some of them. */
static void readers(void) {
  int value = 0, seen = 0, other = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : value)
    value = 1;
    for (int i = 0; i < 100; ++i) {
#pragma omp task depend(in : value) shared(seen)
      add(&seen, value);
    }
#pragma omp task depend(inout : value)
    {
      CHECK(seen == 100);
      value = 2;
    }
#pragma omp task depend(out : other)
    other = 1;
#pragma omp taskwait depend(in : value)
    CHECK(value == 2);
#pragma omp taskwait
    CHECK(other == 1);
  }
}

/* A producer that runs ahead, with dependences and without: the tasks that wait take a bounded amount of memory. */
static long megabytes(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

static void a_producer_runs_ahead(int many) {
  const long before = megabytes();
  int done = 0, slow = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < many; ++i) {
#pragma omp task shared(done)
      add(&done, 1);
    }
    for (int i = 0; i < many / 10; ++i) {
#pragma omp task depend(inout : slow) shared(slow)
      for (volatile int k = 0; k < 2000; ++k) slow = i;
    }
  }
  CHECK(done == many && slow == many / 10 - 1);
  CHECK(WATCHED || megabytes() - before < 16);
}

/* Tasks in nested teams, and teams in tasks. */
/* As many children as there may be: what waits for them goes on when all are complete, and their memory is given back. */
static void generate(int children, int *done) {
  for (int i = 0; i < children; ++i) {
#pragma omp task
    add(done, 1);
  }
}
static void any_number_of_children(void) {
#pragma omp parallel
#pragma omp single
  for (int children = 1; children <= 150; children += children < 40 ? 1 : 10) {
    int count = 0, *const done = &count;
    generate(children, done);
#pragma omp taskwait
    CHECK(get(done) == children);
    /* By a task that waits for them, by one that ends before them, and both again in a row. */
#pragma omp taskgroup
    for (int again = 0; again < 2; ++again) {
#pragma omp task
      {
        generate(children, done);
#pragma omp taskwait
        generate(children, done);
      }
#pragma omp task
      generate(children, done);
    }
    CHECK(get(done) == 7 * children);
  }
}

static void nested(void) {
  int done = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
#pragma omp single
    for (int i = 0; i < 6; ++i) {
#pragma omp task shared(done)
      {
#pragma omp parallel num_threads(2)
        {
          for (int k = 0; k < 5; ++k) {
#pragma omp task shared(done)
            add(&done, 1);
          }
        }
      }
    }
  }
  omp_set_max_active_levels(1);
  CHECK(done == 60);
}

int main(void) {
  for (int i = 0; i < episodes(20) + 1; ++i) {
    others_take_them(0);
    at_the_end_of_a_region();
    taskyield_lets_others_go_on();
    a_tied_task_bounds_what_its_thread_begins();
    dependences_keep_the_order((unsigned)i);
    readers();
    nested();
    any_number_of_children();
    if (i % 10 == 0) {
      others_take_them(30000);
      sleepers_are_woken();
      each_sleeper_is_woken();
    }
  }
  a_producer_runs_ahead(WATCHED ? 20000 : asked() > 8 ? MANY / 10 : MANY);
  return verdict();
}
