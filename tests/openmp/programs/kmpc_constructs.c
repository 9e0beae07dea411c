/* LLVM's entry points that Clang rarely calls: sections, a form of copyprivate, barriers in which one member works, locks. */
#include "check.h"
#include "kmpc.h"
#include <omp.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

int __kmpc_sections_init(place *, int);
unsigned __kmpc_next_section(place *, int, int count);
void __kmpc_end_sections(place *, int);
void *__kmpc_copyprivate_light(place *, int, void *);
int __kmpc_single(place *, int);
void __kmpc_end_single(place *, int);
void __kmpc_barrier(place *, int);
int __kmpc_barrier_master(place *, int);
void __kmpc_end_barrier_master(place *, int);
int __kmpc_barrier_master_nowait(place *, int);
void __kmpc_scope(place *, int, void *);
void __kmpc_end_scope(place *, int, void *);

static void sections(int count) {
  int times[20] = {0};
#pragma omp parallel
  {
    const int me = __kmpc_global_thread_num(&here);
    if (__kmpc_sections_init(&here, me)) {
      for (unsigned s; (s = __kmpc_next_section(&here, me, count)) < (unsigned)count;) add(&times[s], 1);
      __kmpc_end_sections(&here, me);
    } else { /* there is no other member to share them with */
      CHECK(omp_get_num_threads() == 1);
      for (int s = 0; s < count; ++s) add(&times[s], 1);
    }
    __kmpc_barrier(&here, me);
  }
  for (int i = 0; i < 20; ++i) CHECK(times[i] == (i < count));
}

void __kmpc_dispatch_init_4(place *, int, int kind, int lower, int upper, int step, int chunk);
int __kmpc_dispatch_next_4(place *, int, int *last, int *lower, int *upper, int *step);

/* schedule(simd: runtime): chunks are multiples of the width that the argument for the chunk gives. */
static void chunks_of_vectors(omp_sched_t kind, int chunk) {
  enum { simd_at_run_time = 47, width = 8, n = 203 };
  int times[n] = {0};
  omp_set_schedule(kind, chunk);
#pragma omp parallel
  {
    const int me = __kmpc_global_thread_num(&here);
    int last, lower, upper, step;
    __kmpc_dispatch_init_4(&here, me, simd_at_run_time, 0, n - 1, 1, width);
    while (__kmpc_dispatch_next_4(&here, me, &last, &lower, &upper, &step)) {
      const int length = upper - lower + 1;
      CHECK(chunk != 0 || kind != omp_sched_static || upper == n - 1 || length % width == 0);
      CHECK(chunk == 0 || upper == n - 1 || (kind == omp_sched_guided ? length >= (chunk + width - 1) / width * width
                                                        : length == (chunk + width - 1) / width * width));
      for (int i = lower; i <= upper; ++i) add(&times[i], 1);
    }
    __kmpc_barrier(&here, me);
  }
  for (int i = 0; i < n; ++i) CHECK(times[i] == 1);
}

void __kmpc_push_num_teams_51(place *, int, int least, int most, int limit);
void __kmpc_fork_teams(place *, int, void (*)(int *, int *), ...);

static int teams;
static void count_teams(int *global, int *bound) {
  (void)global, (void)bound;
  __atomic_store_n(&teams, omp_get_num_teams(), __ATOMIC_RELAXED); /* by each team, and the teams may overlap */
}

static void leagues_by_their_upper_bound(void) {
  __kmpc_push_num_teams_51(&here, 0, 0, 3, 0);
  __kmpc_fork_teams(&here, 0, count_teams);
  CHECK(teams >= 1 && teams <= 3 && (teams == 3 || asked() != 3));
  __kmpc_push_num_teams_51(&here, 0, 2, 5, 0);
  __kmpc_fork_teams(&here, 0, count_teams);
  CHECK(teams >= 2 && teams <= 5);
}

void *__kmpc_omp_task_alloc(place *, int, int flags, size_t bytes, size_t shared_bytes, int (*)(int, void *));
int __kmpc_omp_task(place *, int, void *);
int __kmpc_omp_taskwait(place *, int);

/* A task may have nothing to execute. */
static void tasks_without_a_function(void) {
#pragma omp parallel
  {
    const int me = __kmpc_global_thread_num(&here);
    for (int tied = 0; tied < 2; ++tied) __kmpc_omp_task(&here, me, __kmpc_omp_task_alloc(&here, me, tied, 40, 0, NULL));
    __kmpc_omp_taskwait(&here, me);
  }
}

static void copies(void) {
#pragma omp parallel
  {
    const int me = __kmpc_global_thread_num(&here);
    for (int round = 0; round < 20; ++round) {
      int value = -1;
      const int chosen = __kmpc_single(&here, me);
      if (chosen) {
        usleep(100); /* members that do not wait would read too early */
        value = round;
        __kmpc_end_single(&here, me);
      }
      const int *from = __kmpc_copyprivate_light(&here, me, chosen ? &value : NULL);
      CHECK(*from == round);
      __kmpc_barrier(&here, me);
    }
  }
}

static void somebody_in_between(void) {
  int before = 0, between = 0;
#pragma omp parallel
  {
    const int me = __kmpc_global_thread_num(&here);
    for (int round = 1; round <= 20; ++round) {
      __kmpc_scope(&here, me, NULL);
      add(&before, 1);
      __kmpc_end_scope(&here, me, NULL);
      if (__kmpc_barrier_master(&here, me)) {
        CHECK(before == round * omp_get_num_threads() && omp_get_thread_num() == 0);
        ++between;
        __kmpc_end_barrier_master(&here, me);
      }
      CHECK(between == round);
      __kmpc_barrier(&here, me);
    }
    add(&before, 1);
    if (__kmpc_barrier_master_nowait(&here, me)) CHECK(before == 21 * omp_get_num_threads() && omp_get_thread_num() == 0);
  }
}

#define LOCK(name)                                                       \
  void __kmpc_init_##name(place *, int, void *);                         \
  void __kmpc_init_##name##_with_hint(place *, int, void *, uintptr_t);  \
  void __kmpc_destroy_##name(place *, int, void *);                      \
  void __kmpc_set_##name(place *, int, void *);                          \
  void __kmpc_unset_##name(place *, int, void *);                        \
  int __kmpc_test_##name(place *, int, void *);                          \
  static void exclude_by_##name(int hint, omp_##name##_t *one, int nested) { \
    int count = 0;                                                       \
    const int first = __kmpc_global_thread_num(&here);                   \
    if (hint)                                                            \
      __kmpc_init_##name##_with_hint(&here, first, one, omp_sync_hint_contended); \
    else                                                                 \
      __kmpc_init_##name(&here, first, one);                             \
    _Pragma("omp parallel") {                                            \
      const int me = __kmpc_global_thread_num(&here);                    \
      for (int i = 0; i < 50; ++i) {                                     \
        __kmpc_set_##name(&here, me, one);                               \
        CHECK(__kmpc_test_##name(&here, me, one) == (nested ? 2 : 0));   \
        ++count;                                                         \
        if (nested) __kmpc_unset_##name(&here, me, one);                 \
        __kmpc_unset_##name(&here, me, one);                             \
      }                                                                  \
    }                                                                    \
    CHECK(count == 50 * asked());                                        \
    CHECK(omp_test_##name(one) == 1);                                    \
    omp_unset_##name(one);                                               \
    __kmpc_destroy_##name(&here, first, one);                            \
  }
LOCK(lock)
LOCK(nest_lock)

int main(void) {
  omp_set_dynamic(0);
  for (int count = 0; count <= 20; ++count) sections(count);
  for (int chunk = 1; chunk <= 17; chunk += 4)
    for (omp_sched_t kind = omp_sched_static; kind <= omp_sched_guided; ++kind) chunks_of_vectors(kind, chunk);
  chunks_of_vectors(omp_sched_static, 0);
  leagues_by_their_upper_bound();
  tasks_without_a_function();
  copies();
  somebody_in_between();
  for (int hint = 0; hint < 2; ++hint) {
    omp_lock_t lock;
    omp_nest_lock_t nested;
    exclude_by_lock(hint, &lock, 0);
    exclude_by_nest_lock(hint, &nested, 1);
  }
  return verdict();
}
