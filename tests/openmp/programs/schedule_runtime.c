/* schedule(runtime): from OMP_SCHEDULE, with a new process for each value, and from omp_set_schedule. */
#include "check.h"
#include <omp.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
  const char *text;
  omp_sched_t kind;
  int chunk; /* that the routine returns; 0: none, or any */
} SCHEDULES[] = {
    {"static", omp_sched_static, 0},         {"static,4", omp_sched_static, 4},
    {"dynamic", omp_sched_dynamic, 1},       {"DYNAMIC,3", omp_sched_dynamic, 3},
    {"guided,5", omp_sched_guided, 5},       {"auto", omp_sched_auto, 0},
    {" guided", omp_sched_guided, 1},        {"monotonic:dynamic,2", omp_sched_dynamic, 2},
    {"nonmonotonic:guided", omp_sched_guided, 1},
};
enum { COUNT = sizeof SCHEDULES / sizeof *SCHEDULES };

static int kind_of(int *chunk) {
  omp_sched_t kind;
  omp_get_schedule(&kind, chunk);
  return (int)(kind & ~0x80000000u); /* without the bit for monotonic */
}

static void loops(omp_sched_t kind, int chunk) {
  int times[500] = {0}, sum = 0;
#pragma omp parallel
  {
#pragma omp for schedule(runtime)
    for (int i = 0; i < 500; ++i) {
      add(&times[i], 1);
      if (kind == omp_sched_static && chunk > 0) CHECK(omp_get_thread_num() == i / chunk % omp_get_num_threads());
    }
#pragma omp for schedule(runtime) nowait
    for (unsigned long long i = 0; i < 100; ++i) add(&sum, (int)i);
#pragma omp for schedule(runtime) ordered
    for (long i = 0; i < 50; ++i) {
#pragma omp ordered
      add(&sum, 1); /* others may still be in the previous loop */
    }
  }
  for (int i = 0; i < 500; ++i) CHECK(times[i] == 1);
  CHECK(sum == 4950 + 50);
}

int main(int count, char **words) {
  if (count > 1) {
    int chunk, which = atoi(words[1]);
    CHECK(kind_of(&chunk) == (int)SCHEDULES[which].kind);
    if (SCHEDULES[which].chunk > 0) CHECK(chunk == SCHEDULES[which].chunk);
    loops(SCHEDULES[which].kind, SCHEDULES[which].chunk);
    return wrongs != 0;
  }
  for (int i = 0; i < COUNT; ++i) {
    pid_t child = fork();
    if (child == 0) {
      char which[8];
      snprintf(which, sizeof which, "%d", i);
      setenv("OMP_SCHEDULE", SCHEDULES[i].text, 1);
      execl("/proc/self/exe", words[0], which, (char *)NULL);
      _exit(127);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  for (int i = 0; i < COUNT; ++i) {
    int chunk;
    omp_set_schedule(SCHEDULES[i].kind, strchr(SCHEDULES[i].text, ',') != NULL ? SCHEDULES[i].chunk : 0);
    CHECK(kind_of(&chunk) == (int)SCHEDULES[i].kind);
    if (SCHEDULES[i].chunk > 0) CHECK(chunk == SCHEDULES[i].chunk);
    loops(SCHEDULES[i].kind, SCHEDULES[i].chunk);
  }
  return verdict();
}
