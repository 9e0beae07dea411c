/* fork: the child has none of its parent's workers, but can execute regions. */
#include "check.h"
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

static int region(void) {
  int members = 0, sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
    add(&members, 1);
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 10; ++i) sum += i;
#pragma omp barrier
  }
  return members == asked() && sum == 45;
}

static void child_opens_regions(int depth) {
  pid_t child = fork();
  if (child == 0) {
    int good = 1;
    for (int i = 0; i < 5; ++i) good &= region();
    if (depth > 0) child_opens_regions(depth - 1);
    /* Neither exit nor _exit waits for workers that do not exist in the child. */
    if (depth % 2) _exit(!good || wrongs);
    exit(!good || wrongs);
  }
  CHECK(child > 0);
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Any member of a larger team forks: its child is in no region, and its teams have the size that the environment gives. */
static void members_fork(void) {
#pragma omp parallel
  if (omp_get_thread_num() < 4) {
    pid_t child = fork();
    if (child == 0) {
      alarm(200);
      CHECK(omp_get_level() == (asked() == 1) && omp_get_num_threads() == 1);
      CHECK(region() && region());
      _exit(wrongs != 0);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
  }
}

/* In a region of one thread the child continues the region, and keeps the control variables of the region and around it. */
static void forks_in_region_of_one(void) {
  pid_t child = fork();
  if (child == 0) {
    alarm(200);
    omp_set_num_threads(3);
    omp_set_schedule(omp_sched_guided, 5);
#pragma omp parallel if (0)
    {
      pid_t grandchild = fork();
      if (grandchild == 0) {
        int members = 0;
        CHECK(omp_get_level() == 1 && omp_get_max_threads() == 3);
#pragma omp parallel
        add(&members, 1);
        CHECK(members == (omp_get_thread_limit() < 3 ? omp_get_thread_limit() : 3));
      } else {
        int status = -1;
        CHECK(waitpid(grandchild, &status, 0) == grandchild && status == 0);
      }
    }
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    CHECK(omp_get_level() == 0 && omp_get_max_threads() == 3 && kind == omp_sched_guided && chunk == 5);
    _exit(wrongs != 0);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

/* Forks right after the very first region: whatever its workers have begun at that moment never ends in the child. */
static void forks_early(int microseconds) {
  pid_t child = fork();
  if (child == 0) {
#pragma omp parallel num_threads(2)
    for (double end = omp_get_wtime() + microseconds * 1e-6; omp_get_thread_num() == 0 && omp_get_wtime() < end;) continue;
    pid_t grandchild = fork();
    if (grandchild == 0) {
      alarm(200);
#pragma omp parallel num_threads(2)
      if (omp_get_thread_num() == 1) usleep(1000);
      _exit(0);
    }
    int status = -1;
    _exit(waitpid(grandchild, &status, 0) != grandchild || status != 0);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

int main(void) {
  for (int i = 0; i < 100 && !wrongs; ++i) forks_early(2 * i);
  child_opens_regions(0); /* before the parent's first region */
  CHECK(region());
  for (int i = 0; i < 3; ++i) child_opens_regions(2);
  CHECK(region());
  members_fork();
  forks_in_region_of_one();
  return verdict();
}
