/* Tasks of several teams at once: of threads that are not OpenMP's, each with a team, and of nested teams. A task is executed by
   a member of the team that has generated it, and a team waits for its own tasks alone. */
#include "check.h"
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

enum { HOSTS = 3, MOST = 64, TASKS = 40 };

/* The threads that a team consists of. */
struct team {
  pthread_t members[MOST];
  int size;
};

static void join(struct team *team) {
  team->members[omp_get_thread_num()] = pthread_self();
#pragma omp single
  team->size = omp_get_num_threads();
}

static void check_member(const struct team *team) {
  CHECK(omp_get_num_threads() == team->size && pthread_equal(team->members[omp_get_thread_num()], pthread_self()));
}

static int get(int *at) { return __atomic_load_n(at, __ATOMIC_ACQUIRE); }

/* Tasks that generate others, by each member. */
static void generate(const struct team *team, int *done) {
  for (int i = 0; i < TASKS; ++i) {
#pragma omp task
    {
      check_member(team);
#pragma omp task
      {
        check_member(team);
        add(done, 1);
      }
      if (i % 3 == 0) {
#pragma omp taskwait
      }
      add(done, 1);
    }
  }
}

/* Two tasks that wait for each other: two members of this team must execute them, however idle other teams are. */
static void generate_two_in_step(const struct team *team, int *begun) {
  for (int i = 0; i < 2; ++i) {
#pragma omp task
    {
      check_member(team);
      add(begun, 1);
      while (get(begun) < 2) sched_yield();
    }
  }
}

static void with_tasks(struct team *team, int members) {
  int done = 0, begun = 0;
#pragma omp parallel num_threads(members)
  {
    join(team);
    generate(team, &done);
#pragma omp barrier
    CHECK(get(&done) == 2 * TASKS * team->size);
#pragma omp single
    if (team->size > 1) generate_two_in_step(team, &begun);
#pragma omp single nowait
    generate(team, &done); /* complete at the end of the region */
  }
  CHECK(done == 2 * TASKS * (team->size + 1) && (begun == 2 || team->size == 1));
}

static pthread_barrier_t together;

static void *run_teams(void *number) {
  struct team team;
  for (int round = 0; round < episodes(30) + 1; ++round) {
    /* Teams of one size, and of different ones. */
    pthread_barrier_wait(&together);
    with_tasks(&team, asked() + (round % 2 == 0 ? 0 : (int)(size_t)number));
  }
  return NULL;
}

static void of_several_hosts(void) {
  pthread_t hosts[HOSTS];
  pthread_barrier_init(&together, NULL, HOSTS);
  for (int h = 1; h < HOSTS; ++h) CHECK(pthread_create(&hosts[h], NULL, run_teams, (void *)(size_t)h) == 0);
  run_teams((void *)0);
  for (int h = 1; h < HOSTS; ++h) pthread_join(hosts[h], NULL);
}

/* Tasks of the outer team are generated before, while and after its members have inner teams with tasks of their own; and an
   inner team begins inside of a task of the outer one. */
static void of_nested_teams(void) {
  struct team outer, inner[MOST], in_task[TASKS];
  int done = 0;
#pragma omp parallel
  {
    join(&outer);
    generate(&outer, &done);
    with_tasks(&inner[omp_get_thread_num()], 2);
    generate(&outer, &done);
#pragma omp single
    for (int i = 0; i < 4; ++i) {
#pragma omp task
      {
        check_member(&outer);
        with_tasks(&in_task[i], 2);
        check_member(&outer);
      }
    }
    with_tasks(&inner[omp_get_thread_num()], 1);
  }
  CHECK(done == 4 * TASKS * asked());
}

/* For a second: a runtime need not execute the child soon. */
static void await(int *at) {
  for (int i = 0; i < 10000 && __atomic_load_n(at, __ATOMIC_RELAXED) == 0; ++i) usleep(100);
}

/* Member 1 executes a task, whose child member 0 completes after it: so the memory of the task, which member 1 has used, is free
   for member 0's next tasks. What goes between them here orders nothing: ThreadSanitizer sees what the runtime orders alone. */
static void of_a_child_that_outlives_its_parent(void) {
  int taken = 0, begun = 0, ended = 0, sum = 0;
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    int one = 1;
#pragma omp task shared(taken, begun, ended, sum) firstprivate(one)
    {
      add(&taken, 1);
#pragma omp task shared(begun, ended)
      {
        add(&begun, 1);
        await(&ended);
        usleep(1000); /* the end of a task has no sign */
      }
      await(&begun);
      add(&sum, one);
      add(&ended, 1);
    }
    await(&taken);
#pragma omp taskyield
    for (int i = 0; i < TASKS; ++i) {
#pragma omp task shared(sum) firstprivate(one)
      add(&sum, one);
    }
  }
  CHECK(sum == TASKS + 1);
}

int main(void) {
  omp_set_dynamic(0);
  omp_set_max_active_levels(2);
  of_several_hosts();
  for (int round = 0; round < episodes(20) + 1; ++round) of_nested_teams();
  if (asked() > 1) of_a_child_that_outlives_its_parent();
  return verdict();
}
