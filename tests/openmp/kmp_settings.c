/* What LLVM's programs expect of settings: where members run, and how iterations are divided. Its lines are what a test compares.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, N = 1000 }; /* N: iterations */

static int processors(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : -1;
}

static void primary(void) {
  int place[MOST] = {0}, team = 0;
#pragma omp parallel num_threads(4) proc_bind(primary)
  {
    place[omp_get_thread_num()] = omp_get_place_num();
    team = omp_get_num_threads();
  }
  for (int n = 0; n < team; ++n) printf("place %d\n", place[n]);
}

static void reset(void) {
  const int before = processors();
  int within = 0;
#pragma omp parallel num_threads(2)
#pragma omp masked
  within = processors();
  printf("within %d, afterwards %s\n", within, processors() == before ? "as before" : "other");
}

static void subset(void) { printf("processors %d, threads %d\n", omp_get_num_procs(), omp_get_max_threads()); }

static void display(void) {
  char format[200];
  omp_get_affinity_format(format, sizeof format);
  puts(format);
  omp_display_affinity("member %n");
}

/* As Clang compiles a loop of N iterations with schedule(runtime): each call returns a chunk. */
void __kmpc_dispatch_init_4(void *where, int thread, int schedule, int first, int last, int step, int chunk);
int __kmpc_dispatch_next_4(void *where, int thread, int *is_last, int *first, int *last, int *step);
int __kmpc_global_thread_num(void *where);

/* From the first iteration on: each one once, the first chunk half of a member's part, none but the last other than by the same
 * number shorter than the one before, until they are as short as they may be. */
static void chunks(void) {
  static struct {
    int flags[4];
    const char *text;
  } where = {{0, 2, 0, 0}, ";unknown;unknown;0;0;;"};
  omp_sched_t kind;
  int shortest, length[N] = {0};
  omp_get_schedule(&kind, &shortest);
#pragma omp parallel num_threads(4)
  {
    int thread = __kmpc_global_thread_num(&where), is_last, first, last, step;
    __kmpc_dispatch_init_4(&where, thread, 37, 0, N - 1, 1, 1);
    while (__kmpc_dispatch_next_4(&where, thread, &is_last, &first, &last, &step)) length[first] += last + 1 - first;
  }
  int at = 0, before = 0, less = -1, is_right = length[0] == N / 8;
  for (; at < N && length[at] > 0; at += length[at]) {
    if (before != 0 && less < 0) less = before - length[at];
    if (before != 0 && at + length[at] < N && length[at] > shortest) is_right &= length[at] == before - less;
    before = length[at];
  }
  printf("schedule %d, chunks %s\n", (int)kind, is_right && at == N ? "right" : "wrong");
}

static void variables(const char *threads, const char *how) {
  setenv("OMP_NUM_THREADS", threads, 1);
  setenv("OMP_SCHEDULE", how, 1);
}
static void late(void) {
  int threads = 0, chunk;
  omp_sched_t kind;
  variables("3", "dynamic,7");
#pragma omp parallel
#pragma omp single
  threads = omp_get_num_threads();
  variables("2", "static");
  omp_get_schedule(&kind, &chunk);
  printf("%d threads, schedule %d, %d\n", threads, (int)kind, chunk);
}

int main(int argc, char **argv) {
  const struct {
    const char *name;
    void (*run)(void);
  } parts[] = {{"primary", primary}, {"reset", reset},   {"subset", subset},
               {"display", display}, {"chunks", chunks}, {"late", late}};
  for (unsigned i = 0; i < sizeof parts / sizeof *parts; ++i)
    if (argc > 1 && strcmp(argv[1], parts[i].name) == 0) parts[i].run();
  return 0;
}
