/* cancel and cancellation point with OMP_CANCELLATION=true: parallel, for, sections, taskgroup. No check depends on time: where a
   member shall meet a cancellation, it waits at cancellation points until it does. Settings are read from the environment, so the
   program executes itself once more. */
#include "check.h"
#include <omp.h>
#include <string.h>
#include <unistd.h>

static int rounds;

static int is_set(int *flag) { return __atomic_load_n(flag, __ATOMIC_ACQUIRE); }
static void set(int *flag) { __atomic_store_n(flag, 1, __ATOMIC_RELEASE); }

/* All others wait for the cancellation, each elsewhere: at a cancellation point, at a barrier. */
static void region(void) {
  for (int round = 0; round < rounds; ++round) {
    int after = 0, begun = 0, data = 0, seen = 0;
#pragma omp parallel
    {
      add(&begun, 1);
      int me = omp_get_thread_num();
      if (me == round % asked()) {
        data = 1;
#pragma omp cancel parallel
        add(&after, 1);
      }
      if (me % 2 == 0) {
        for (;;) {
          add(&seen, 0);
#pragma omp cancellation point parallel
        }
      }
#pragma omp barrier
      add(&after, 1);
#pragma omp barrier
      add(&after, 1);
    }
    CHECK(begun == asked() && after == 0 && data == 1 && seen == 0);
    /* The next region is whole. */
    int passed = 0, executed = 0;
#pragma omp parallel
    {
      add(&passed, 1);
#pragma omp barrier
      CHECK(passed == asked());
#pragma omp single
      add(&executed, 1);
#pragma omp for schedule(dynamic) nowait
      for (int i = 0; i < 20; ++i) add(&executed, 1);
    }
    CHECK(executed == 21);
  }
}

/* The thread that cancels misses a loop that the others execute; the loops of later regions are whole, however many it missed. */
static void region_before_a_loop(void) {
  for (int missed = 0; missed < 10; ++missed) {
    int iterations = 0, later[20] = {0};
    for (int k = 0; k < missed; ++k) {
#pragma omp parallel
      {
        if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
        }
#pragma omp for schedule(dynamic) nowait
        for (int i = 0; i < 20; ++i) add(&iterations, 1);
        for (;;) {
#pragma omp cancellation point parallel
        }
      }
    }
    CHECK(asked() == 1 || iterations == 20 * missed);
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < 20; ++i) add(&later[i], 1);
    for (int i = 0; i < 20; ++i) CHECK(later[i] == 1);
  }
}

/* Members that wait at the barriers of worksharing constructs, and at their ends. */
static void region_at_constructs(void) {
  for (int round = 0; round < rounds; ++round) {
    int after = 0, iterations = 0;
#pragma omp parallel
    {
#pragma omp cancel parallel if (omp_get_thread_num() == asked() - 1)
#pragma omp for schedule(dynamic, 2)
      for (int i = 0; i < 40; ++i) add(&iterations, 1);
      add(&after, 1);
#pragma omp single
      add(&after, 1);
#pragma omp sections
      {
#pragma omp section
        add(&after, 1);
      }
    }
    CHECK(after == 0 && iterations % 2 == 0 && iterations <= 40);
  }
}

/* A barrier in a function that knows nothing of the cancellation: it is passed when all others have left or arrived. */
static void orphan(int *passed) {
#pragma omp barrier
  add(passed, 1);
#pragma omp barrier
}
static void region_with_orphans(void) {
  for (int round = 0; round < rounds; ++round) {
    int passed = 0, after = 0;
#pragma omp parallel
    {
#pragma omp cancel parallel if (omp_get_thread_num() == 0)
      orphan(&passed);
#pragma omp cancellation point parallel
      add(&after, 1);
    }
    CHECK(passed <= asked() - 1 && after == 0);
  }
}

static void region_in_region(void) {
  int outer = 0, inner = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
#pragma omp parallel num_threads(2)
    {
#pragma omp cancel parallel if (omp_get_thread_num() == 1)
#pragma omp barrier
      add(&inner, 1);
    }
    add(&outer, 1);
#pragma omp barrier
    add(&outer, 1);
  }
  CHECK(inner == 0 && outer == 2 * 2);
  omp_set_max_active_levels(1);
}

#define LOOP(name, clause)                                                    \
  static void name(void) {                                                    \
    for (int round = 0; round < rounds; ++round) {                            \
      int cancelled = 0, after = 0, uncancelled = 0;                          \
      _Pragma("omp parallel") {                                               \
        PRAGMA(omp for clause)                                                \
        for (int i = 0; i < 4 * 33; ++i) {                                    \
          if (i == 4 * 33 / 2) {                                              \
            set(&cancelled);                                                  \
            _Pragma("omp cancel for") add(&after, 1);                         \
          }                                                                   \
          while (is_set(&cancelled)) {                                        \
            _Pragma("omp cancellation point for") add(&uncancelled, 0);       \
          }                                                                   \
        }                                                                     \
        CHECK(is_set(&cancelled));                                            \
        PRAGMA(omp for clause)                                                \
        for (int i = 0; i < 100; ++i) {                                       \
          _Pragma("omp cancellation point for") add(&uncancelled, 1);         \
        }                                                                     \
      }                                                                       \
      CHECK(after == 0 && uncancelled == 100);                                \
    }                                                                         \
  }
LOOP(static_loop, schedule(static))
LOOP(cyclic_loop, schedule(static, 1))
LOOP(dynamic_loop, schedule(dynamic))
LOOP(monotonic_loop, schedule(monotonic : dynamic))
LOOP(guided_loop, schedule(guided))
LOOP(runtime_loop, schedule(runtime))
#undef LOOP

/* More loops that are left early than a team has places for. */
static void many_loops(void) {
  int executed = 0;
#pragma omp parallel
  for (int loop = 0; loop < 50; ++loop) {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 1000; ++i) {
#pragma omp cancel for if (i >= 0)
      add(&executed, 1);
    }
  }
  CHECK(executed == 0);
}

static void combined(void) {
  for (int round = 0; round < rounds; ++round) {
    /* What a cancelled construct reduces is undefined [OpenMP 5.2, 11.5]. */
    int sum = 0, executed = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
    for (int i = 0; i < 100; ++i) {
#pragma omp cancel for if (i == 10)
      sum += 1;
      add(&executed, 1);
    }
    CHECK(executed <= 99);
    int total = 0;
#pragma omp parallel for reduction(+ : total)
    for (int i = 0; i < 100; ++i) {
#pragma omp cancel for if (i < 0)
      total += i;
    }
    CHECK(total == 4950);
#pragma omp parallel reduction(+ : total)
    {
#pragma omp cancel parallel if (omp_get_thread_num() == 0)
      total += 1;
    }
  }
}

static void sections(void) {
  for (int round = 0; round < rounds; ++round) {
    int cancelled = 0, after = 0, next = 0;
#pragma omp parallel
    {
#pragma omp sections
      {
#pragma omp section
        {
          set(&cancelled);
#pragma omp cancel sections
          add(&after, 1);
        }
#pragma omp section
        {
          while (is_set(&cancelled)) {
#pragma omp cancellation point sections
            add(&after, 0);
          }
        }
      }
#pragma omp sections
      {
#pragma omp section
        {
#pragma omp cancellation point sections
          add(&next, 1);
        }
#pragma omp section
        add(&next, 1);
      }
    }
    CHECK(after == 0 && next == 2);
#pragma omp parallel sections
    {
#pragma omp section
      {
#pragma omp cancel sections
        add(&after, 1);
      }
    }
    CHECK(after == 0);
  }
}

/* Of the tasks that have not begun none begins, of those that have begun each goes to its end. */
static void groups(void) {
  for (int round = 0; round < rounds; ++round) {
    int begun = 0, whole = 0, others = 0, cancelled = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
      add(&others, 1);
#pragma omp taskgroup
      {
        for (int i = 0; i < 200; ++i) {
#pragma omp task firstprivate(i) depend(inout : begun)
          {
            add(&begun, 1);
            if (i == 3) {
              set(&cancelled);
#pragma omp cancel taskgroup
            }
            CHECK(!is_set(&cancelled));
#pragma omp cancellation point taskgroup
            add(&whole, 1);
          }
        }
        /* Of the same group, though of another parent. */
#pragma omp task depend(inout : begun)
#pragma omp task
        add(&whole, 1);
      }
      CHECK(begun == 4 && whole == 3);
#pragma omp taskgroup
      for (int i = 0; i < 10; ++i) {
#pragma omp task
        {
#pragma omp cancellation point taskgroup
          add(&others, 1);
        }
      }
    }
    CHECK(others == 11);
  }
}

/* A group inside of a task of a cancelled group is cancelled, too. It takes a second thread, which executes that task. */
static void groups_in_groups(void) {
  if (asked() == 1) return;
  int waits = 0, cancelled = 0, inner = 0, whole = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  {
#pragma omp task
    {
      int held = 0;
      omp_event_handle_t event;
#pragma omp taskgroup
      {
#pragma omp task depend(out : held) detach(event)
        add(&held, 1);
#pragma omp task depend(in : held)
        add(&inner, 1);
        set(&waits);
        while (!is_set(&cancelled)) {
        }
        omp_fulfill_event(event);
      }
      add(&whole, 1);
    }
    while (!is_set(&waits)) {
    }
#pragma omp task depend(out : cancelled)
    {
#pragma omp cancel taskgroup
    }
#pragma omp taskwait depend(in : cancelled)
    set(&cancelled);
  }
  CHECK(inner == 0 && whole == 1);
}

static void loops_of_tasks(void) {
  int executed = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(100)
  for (int i = 0; i < 100; ++i) {
#pragma omp cancel taskgroup if (i >= 0)
    add(&executed, 1);
  }
  CHECK(executed == 0);
}

/* The region's tasks that have not begun are discarded with it; a detached one is not, since its event may come. */
static void tasks_of_region(void) {
  for (int round = 0; round < rounds; ++round) {
    int executed = 0, detached = 0;
#pragma omp parallel
    {
      if (omp_get_thread_num() == 0) {
        int gate = 0;
        omp_event_handle_t event;
#pragma omp task depend(out : gate) detach(event)
        {}
        for (int i = 0; i < 20; ++i) {
#pragma omp task depend(in : gate)
          add(&executed, 1);
        }
        omp_event_handle_t other;
#pragma omp task depend(in : gate) detach(other)
        {
          add(&detached, 1);
          omp_fulfill_event(other);
        }
        omp_fulfill_event(event);
#pragma omp cancel parallel
      }
#pragma omp barrier
    }
    CHECK(executed <= 20 && detached == 1);
  }
}

static void outside_of_regions(void) {
  int executed = 0;
#pragma omp for
  for (int i = 0; i < 10; ++i) {
#pragma omp cancel for if (i == 5)
    ++executed;
  }
#pragma omp for
  for (int i = 0; i < 10; ++i) {
#pragma omp cancellation point for
    ++executed;
  }
  CHECK(executed == 15);
}

int main(int count, char **arguments) {
  const char *before = getenv("OMP_CANCELLATION");
  if (before == NULL || strcmp(before, "true") != 0) {
    setenv("OMP_CANCELLATION", "true", 1);
    setenv("OMP_SCHEDULE", "dynamic", 1);
    execv("/proc/self/exe", arguments);
    perror("exec");
    return 2;
  }
  (void)count;
  rounds = episodes(50);
  CHECK(omp_get_cancellation());
  region();
  region_before_a_loop();
  region_at_constructs();
  region_with_orphans();
  region_in_region();
  static_loop();
  cyclic_loop();
  dynamic_loop();
  monotonic_loop();
  guided_loop();
  runtime_loop();
  many_loops();
  combined();
  sections();
  groups();
  groups_in_groups();
  loops_of_tasks();
  tasks_of_region();
  outside_of_regions();
  return verdict();
}
