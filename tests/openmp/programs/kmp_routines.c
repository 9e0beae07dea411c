/* LLVM's own routines, looked up by name at run time, as by libraries that set the number of another library's threads. */
#define _GNU_SOURCE
#include "check.h"
#include "stacks.h"
#include <dlfcn.h>
#include <omp.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>

static void *found(const char *name) {
  void *at = dlsym(RTLD_DEFAULT, name);
  if (at == NULL) wrong(name, 0, "it is found");
  return at;
}

#define FIND(result, name, ...) result (*name)(__VA_ARGS__) = (result(*)(__VA_ARGS__))found(#name); if (name == NULL) return

static void openmp(void) {
  int (*max_threads)(void) = (int (*)(void))found("omp_get_max_threads"),
      (*processors)(void) = (int (*)(void))found("omp_get_num_procs");
  void (*set_threads)(int) = (void (*)(int))found("omp_set_num_threads");
  FIND(void, ompc_set_num_threads, int);
  FIND(void, ompc_set_dynamic, int);
  FIND(void, ompc_set_max_active_levels, int);
  FIND(int, ompc_get_team_size, int);
  FIND(int, ompc_get_ancestor_thread_num, int);
  FIND(size_t, ompc_capture_affinity, char *, size_t, const char *);
  CHECK(max_threads() == asked() && processors() == omp_get_num_procs());
  set_threads(3);
  CHECK(omp_get_max_threads() == 3);
  ompc_set_num_threads(5);
  CHECK(max_threads() == 5);
  ompc_set_dynamic(1);
  CHECK(omp_get_dynamic());
  ompc_set_dynamic(0);
  ompc_set_max_active_levels(2);
  CHECK(omp_get_max_active_levels() == 2);
#pragma omp parallel num_threads(2)
  {
    char text[8];
    CHECK(ompc_get_team_size(1) == 2 && ompc_get_ancestor_thread_num(1) == omp_get_thread_num());
    CHECK(ompc_capture_affinity(text, sizeof text, "%N") == 1 && strcmp(text, "2") == 0);
  }
  ompc_set_max_active_levels(1);
  set_threads(asked());
}

static void waiting(void) {
  FIND(void, kmp_set_blocktime, int);
  FIND(void, kmp_set_blocktime_, const int *);
  FIND(void, kmpc_set_blocktime, int);
  FIND(int, kmp_get_blocktime, void);
  FIND(int, kmp_get_blocktime_, void);
  int before = kmp_get_blocktime(), eight = 8;
  CHECK(before >= 0);
  kmp_set_blocktime(7);
  CHECK(kmp_get_blocktime() == 7 && kmp_get_blocktime_() == 7);
  kmp_set_blocktime_(&eight);
  CHECK(kmp_get_blocktime() == 8);
  kmpc_set_blocktime(9);
  CHECK(kmp_get_blocktime() == 9);
  kmp_set_blocktime(-1);
  CHECK(kmp_get_blocktime() == 0);
  kmp_set_blocktime(before);
  CHECK(kmp_get_blocktime() == before);
}

/* Called before the first region, which creates the threads with their stacks. */
static void stacks(void) {
  FIND(void, kmp_set_stacksize, int);
  FIND(void, kmp_set_stacksize_s, size_t);
  FIND(int, kmp_get_stacksize, void);
  FIND(size_t, kmp_get_stacksize_s, void);
  FIND(int, kmp_get_num_known_threads, void);
  CHECK(kmp_get_stacksize() > 0 && kmp_get_stacksize_s() == (size_t)kmp_get_stacksize());
  kmp_set_stacksize(1);
  CHECK(kmp_get_stacksize() >= 4096);
  kmp_set_stacksize(1 << 20);
  CHECK(kmp_get_stacksize_s() == 1 << 20);
  kmp_set_stacksize_s(3 << 20);
  CHECK(kmp_get_stacksize() == 3 << 20);
#pragma omp parallel num_threads(3)
  {
    CHECK(omp_get_thread_num() == 0 || (stack_here() >= 3 << 20 && stack_here() < 4 << 20));
#pragma omp barrier
    CHECK(kmp_get_num_known_threads() >= 3);
  }
}

static void defaults(void) {
  FIND(void, kmp_set_defaults, const char *);
  FIND(int, kmp_get_blocktime, void);
  FIND(void, kmp_set_library, int);
  FIND(void, kmp_set_library_serial, void);
  FIND(int, kmp_get_library, void);
  FIND(void, kmp_set_warnings_off, void);
  FIND(void, kmp_set_disp_num_buffers, int);
  FIND(int, kmp_get_cancellation_status, int);
  kmp_set_warnings_off();
  kmp_set_disp_num_buffers(7);
  CHECK(kmp_get_cancellation_status(1) == 0);
  kmp_set_defaults("KMP_BLOCKTIME=33|OMP_NUM_THREADS=5");
  CHECK(kmp_get_blocktime() == 33 && omp_get_max_threads() == 5);
  kmp_set_defaults("OMP_NUM_THREADS=2");
  CHECK(kmp_get_blocktime() == 33 && omp_get_max_threads() == 2);
  kmp_set_library_serial();
  CHECK(kmp_get_library() == 1);
#pragma omp parallel
  CHECK(omp_get_num_threads() == 1);
  kmp_set_library(3);
  CHECK(kmp_get_library() == 3 && omp_get_max_threads() == 2);
#pragma omp parallel
  CHECK(omp_get_num_threads() == 2);
}

static void memory(void) {
  FIND(void *, kmp_malloc, size_t);
  FIND(void *, kmp_calloc, size_t, size_t);
  FIND(void *, kmp_realloc, void *, size_t);
  FIND(void *, kmp_aligned_malloc, size_t, size_t);
  FIND(void *, kmpc_malloc, size_t);
  FIND(void, kmp_free, void *);
  FIND(void, kmpc_free, void *);
  char *one = kmp_malloc(10), *zeros = kmp_calloc(10, 10), *at = kmp_aligned_malloc(100, 4096);
  CHECK(one != NULL && zeros != NULL && zeros[99] == 0 && at != NULL && (uintptr_t)at % 4096 == 0);
  strcpy(one, "text");
  one = kmp_realloc(one, 100000);
  CHECK(strcmp(one, "text") == 0);
  kmp_free(one), kmp_free(zeros), kmp_free(at), kmp_free(NULL);
  kmpc_free(kmpc_malloc(5));
}

static void masks(void) {
  FIND(int, kmp_get_affinity_max_proc, void);
  FIND(void, kmp_create_affinity_mask, void **);
  FIND(void, kmp_destroy_affinity_mask, void **);
  FIND(int, kmp_get_affinity, void **);
  FIND(int, kmp_set_affinity, void **);
  FIND(int, kmp_set_affinity_mask_proc, int, void **);
  FIND(int, kmp_unset_affinity_mask_proc, int, void **);
  FIND(int, kmp_get_affinity_mask_proc, int, void **);
  cpu_set_t before, now;
  sched_getaffinity(0, sizeof before, &before);
  int most = kmp_get_affinity_max_proc(), last = -1;
  void *mask;
  kmp_create_affinity_mask(&mask);
  CHECK(kmp_get_affinity(&mask) == 0);
  for (int p = 0; p < most; ++p) {
    CHECK((kmp_get_affinity_mask_proc(p, &mask) == 1) == (CPU_ISSET(p, &before) != 0));
    if (CPU_ISSET(p, &before)) last = p;
  }
  CHECK(last >= 0);
  for (int p = 0; p < most; ++p)
    if (CPU_ISSET(p, &before) && p != last) CHECK(kmp_unset_affinity_mask_proc(p, &mask) == 0);
  CHECK(kmp_unset_affinity_mask_proc(-1, &mask) < 0 && kmp_set_affinity_mask_proc(most, &mask) < 0);
  CHECK(kmp_set_affinity(&mask) == 0);
  sched_getaffinity(0, sizeof now, &now);
  CHECK(CPU_COUNT(&now) == 1 && CPU_ISSET(last, &now));
  CHECK(kmp_unset_affinity_mask_proc(last, &mask) == 0 && kmp_set_affinity(&mask) != 0); /* no processor at all */
  for (int p = 0; p < most; ++p)
    if (CPU_ISSET(p, &before)) CHECK(kmp_set_affinity_mask_proc(p, &mask) == 0);
  CHECK(kmp_set_affinity(&mask) == 0);
  sched_getaffinity(0, sizeof now, &now);
  CHECK(CPU_EQUAL(&now, &before));
  kmp_destroy_affinity_mask(&mask);
}

int main(void) {
  stacks();
  openmp();
  waiting();
  defaults();
  memory();
  masks();
  return verdict();
}
