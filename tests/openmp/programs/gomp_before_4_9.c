/* Regions as GCC compiled them before 4.9: the caller executes its part itself, between the calls that begin and end the region.
 */
#include "check.h"
#include <omp.h>

typedef void region(void *);
void GOMP_parallel_start(region *, void *, unsigned threads);
void GOMP_parallel_end(void);
void GOMP_parallel_loop_static_start(region *, void *, unsigned, long start, long end, long step, long chunk);
void GOMP_parallel_loop_dynamic_start(region *, void *, unsigned, long start, long end, long step, long chunk);
void GOMP_parallel_loop_guided_start(region *, void *, unsigned, long start, long end, long step, long chunk);
void GOMP_parallel_loop_runtime_start(region *, void *, unsigned, long start, long end, long step);
void GOMP_parallel_sections_start(region *, void *, unsigned, unsigned count);
_Bool GOMP_loop_static_next(long *, long *);
_Bool GOMP_loop_dynamic_next(long *, long *);
_Bool GOMP_loop_guided_next(long *, long *);
_Bool GOMP_loop_runtime_next(long *, long *);
void GOMP_loop_end_nowait(void);
unsigned GOMP_sections_next(void);
void GOMP_sections_end_nowait(void);

enum { N = 300, SECTIONS = 7 };
static int times[N], members[64], expected_size;

static void as_a_member(void *word) {
  CHECK(*(int *)word == 42 && omp_get_num_threads() == expected_size && omp_get_level() >= 1);
  add(&members[omp_get_thread_num()], 1);
#pragma omp barrier
  for (int i = 0; i < omp_get_num_threads(); ++i) CHECK(members[i] == 1);
}

static void plainly(unsigned threads, int size) {
  int word = 42;
  expected_size = size;
  for (int i = 0; i < size; ++i) members[i] = 0;
  GOMP_parallel_start(as_a_member, &word, threads);
  as_a_member(&word);
  GOMP_parallel_end();
  for (int i = 0; i < size; ++i) CHECK(members[i] == 1);
  CHECK(omp_get_level() == 0 && omp_get_num_threads() == 1);
}

static void all_once(int count) {
  for (int i = 0; i < N; ++i) {
    CHECK(times[i] == (i < count));
    times[i] = 0;
  }
}

#define LOOP(kind)                                                           \
  static void kind##_loop(void *data) {                                      \
    int *together = data;                                                    \
    long from, to;                                                           \
    while (GOMP_loop_##kind##_next(&from, &to))                              \
      for (long i = from; i > to; i -= 3) {                                  \
        CHECK(i <= 3 * N - 3 && i >= 0);                                     \
        if (i >= 0 && i < 3 * N) add(&times[i / 3], 1);                      \
      }                                                                      \
    GOMP_loop_end_nowait();                                                  \
    add(together, 1);                                                        \
  }
LOOP(static)
LOOP(dynamic)
LOOP(guided)
LOOP(runtime)

#define RUN(kind, ...)                                                                       \
  {                                                                                          \
    int together = 0;                                                                        \
    GOMP_parallel_loop_##kind##_start(kind##_loop, &together, 0, 3 * N - 3, -1, -3, ##__VA_ARGS__); \
    kind##_loop(&together);                                                                  \
    GOMP_parallel_end();                                                                     \
    all_once(N);                                                                             \
    CHECK(together == asked());                                                              \
  }

static void sections(void *unused) {
  (void)unused;
  for (unsigned s; (s = GOMP_sections_next()) != 0;) {
    CHECK(s <= SECTIONS);
    if (s <= SECTIONS) add(&times[s - 1], 1);
  }
  GOMP_sections_end_nowait();
}

static void inner(void *counter) { add(counter, omp_get_level() == 2 && omp_get_num_threads() == 1); }
static void outer(void *counter) {
  GOMP_parallel_start(inner, counter, 1);
  inner(counter);
  GOMP_parallel_end();
  CHECK(omp_get_level() == 1 && omp_get_num_threads() == asked());
}

/* The thread limit applies to all active regions together. */
static void nested(void *unused) {
  (void)unused;
  CHECK(omp_get_num_threads() < omp_get_thread_limit());
}
static void opens_another(void *unused) {
  if (omp_get_thread_num() == 0) {
    GOMP_parallel_start(nested, unused, 3);
    nested(unused);
    GOMP_parallel_end();
  }
  CHECK(omp_get_num_threads() == 2);
#pragma omp barrier
}
static void share_a_limit(void) {
  omp_set_max_active_levels(2);
  GOMP_parallel_start(opens_another, NULL, 2);
  opens_another(NULL);
  GOMP_parallel_end();
  omp_set_max_active_levels(1);
}

int main(void) {
  omp_set_dynamic(0);
  for (int round = 0; round < episodes(50); ++round) {
    plainly(0, asked());
    plainly(1, 1);
    plainly(3, 3);
    RUN(static, 0)
    RUN(static, 7)
    RUN(dynamic, 1)
    RUN(dynamic, 7)
    RUN(guided, 1)
    omp_set_schedule(omp_sched_dynamic, 5);
    RUN(runtime)
    omp_set_schedule(omp_sched_static, 0);
    RUN(runtime)
    GOMP_parallel_sections_start(sections, NULL, 0, SECTIONS);
    sections(NULL);
    GOMP_parallel_end();
    all_once(SECTIONS);
    int counter = 0;
    GOMP_parallel_start(outer, &counter, 0);
    outer(&counter);
    GOMP_parallel_end();
    CHECK(counter == asked());
    share_a_limit();
  }
  return verdict();
}
