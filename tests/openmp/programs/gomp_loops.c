/* GCC's entry points that take a loop's schedule as a number, and provide memory that the team shares. */
#include "check.h"
#include <limits.h>
#include <omp.h>
#include <string.h>

typedef unsigned long long u64;
_Bool GOMP_loop_start(long, long, long, long kind, long chunk, long *, long *, void **reductions, void **memory);
_Bool GOMP_loop_ordered_start(long, long, long, long kind, long chunk, long *, long *, void **, void **);
_Bool GOMP_loop_doacross_start(unsigned, long *counts, long kind, long chunk, long *, long *, void **, void **);
_Bool GOMP_loop_ull_start(_Bool up, u64, u64, u64, long kind, u64 chunk, u64 *, u64 *, void **, void **);
_Bool GOMP_loop_ull_ordered_start(_Bool up, u64, u64, u64, long kind, u64 chunk, u64 *, u64 *, void **, void **);
_Bool GOMP_loop_ull_doacross_start(unsigned, u64 *counts, long kind, u64 chunk, u64 *, u64 *, void **, void **);
#define NEXT(kind)                                \
  _Bool GOMP_loop_##kind##_next(long *, long *);  \
  _Bool GOMP_loop_ull_##kind##_next(u64 *, u64 *);
NEXT(static)
NEXT(dynamic)
NEXT(guided)
NEXT(nonmonotonic_dynamic)
NEXT(nonmonotonic_guided)
NEXT(runtime)
NEXT(ordered_static)
NEXT(ordered_dynamic)
NEXT(ordered_guided)
NEXT(ordered_runtime)
void GOMP_ordered_start(void);
void GOMP_ordered_end(void);
void GOMP_loop_end(void);
void GOMP_doacross_post(long *);
void GOMP_doacross_ull_post(u64 *);
void GOMP_doacross_wait(long, ...);
void GOMP_doacross_ull_wait(u64, ...);
unsigned GOMP_sections2_start(unsigned count, void **reductions, void **memory);
unsigned GOMP_sections_next(void);
void GOMP_sections_end(void);

enum { N = 120, RUNTIME = 0, STATIC, DYNAMIC, GUIDED };
#define MONOTONIC (long)0x80000000ul
static int times[N];
static long last;

static void all_once(void) {
  for (int i = 0; i < N; ++i) CHECK(times[i] == 1);
  memset(times, 0, sizeof times);
}

static void met(u64 number) {
  CHECK(number < N);
  if (number < N) add(&times[number], 1);
}

/* Eight bytes for a sum and eight for a count, zeroed for each construct. */
static void *asks_for_memory(void) { return (void *)(2 * sizeof(long)); }
static void share(void *memory, long number) {
  __atomic_fetch_add((long *)memory, number, __ATOMIC_RELAXED);
  __atomic_fetch_add((long *)memory + 1, 1, __ATOMIC_RELAXED);
}
static void shared(long *memory) {
#pragma omp barrier
  CHECK(memory[0] == (long)N * (N - 1) / 2 && memory[1] == N);
}

#define FOR(kind, number, chunk)                                                                       \
  PRAGMA(omp parallel) {                                                                               \
    void *memory = asks_for_memory();                                                                  \
    long from, to;                                                                                     \
    for (_Bool more = GOMP_loop_start(5, 5 + 2 * N, 2, number, chunk, &from, &to, NULL, &memory); more; \
         more = GOMP_loop_##kind##_next(&from, &to))                                                   \
      for (long i = from; i < to; i += 2) {                                                            \
        met((u64)(i - 5) / 2);                                                                         \
        share(memory, (i - 5) / 2);                                                                    \
      }                                                                                                \
    shared(memory);                                                                                    \
    GOMP_loop_end();                                                                                   \
  }                                                                                                    \
  all_once();

#define FOR_ULL(kind, number, chunk)                                                                         \
  PRAGMA(omp parallel) {                                                                                     \
    void *memory = asks_for_memory();                                                                        \
    u64 from, to, first = ULLONG_MAX - N, least = 7;                                                         \
    for (_Bool more = GOMP_loop_ull_start(1, first, ULLONG_MAX, 1, number, chunk, &from, &to, NULL, &memory); more; \
         more = GOMP_loop_ull_##kind##_next(&from, &to))                                                     \
      for (u64 i = from; i < to; ++i) {                                                                      \
        met(i - first);                                                                                      \
        share(memory, (long)(i - first));                                                                    \
      }                                                                                                      \
    shared(memory);                                                                                          \
    GOMP_loop_end();                                                                                         \
    PRAGMA(omp single) all_once();                                                                           \
    for (_Bool more = GOMP_loop_ull_start(0, least + N, least, -1ull, number, chunk, &from, &to, NULL, NULL); more; \
         more = GOMP_loop_ull_##kind##_next(&from, &to))                                                     \
      for (u64 i = from; i > to; --i) met(i - least - 1);                                                    \
    GOMP_loop_end();                                                                                         \
  }                                                                                                          \
  all_once();

#define BOUNDS_long 0, N, 1
#define BOUNDS_u64 1, 0, N, 1
#define ORDERED(prefix, type, kind, number, chunk)                                                             \
  last = -1;                                                                                                   \
  PRAGMA(omp parallel) {                                                                                       \
    void *memory = asks_for_memory();                                                                          \
    type from, to;                                                                                             \
    for (_Bool more = GOMP_loop_##prefix##ordered_start(BOUNDS_##type, number, chunk, &from, &to, NULL, &memory); more; \
         more = GOMP_loop_##prefix##ordered_##kind##_next(&from, &to))                                         \
      for (type i = from; i < to; ++i) {                                                                       \
        share(memory, (long)i);                                                                                \
        GOMP_ordered_start();                                                                                  \
        CHECK(last == (long)i - 1);                                                                            \
        last = (long)i;                                                                                        \
        GOMP_ordered_end();                                                                                    \
      }                                                                                                        \
    shared(memory);                                                                                            \
    GOMP_loop_end();                                                                                           \
  }                                                                                                            \
  CHECK(last == N - 1);

/* Each line is processed in order, and waits at each element for the same element of the previous line. */
#define DOACROSS(prefix, post, wait, type, kind, number, chunk)                                                      \
  {                                                                                                                  \
    enum { LINES = 8, LENGTH = 15 };                                                                                 \
    static int paths[LINES][LENGTH];                                                                                 \
    memset(paths, 0, sizeof paths);                                                                                  \
    PRAGMA(omp parallel) {                                                                                           \
      type counts[2] = {LINES, LENGTH}, from, to;                                                                    \
      void *memory = asks_for_memory();                                                                              \
      for (_Bool more = GOMP_loop_##prefix##doacross_start(2, counts, number, chunk, &from, &to, NULL, &memory); more; \
           more = GOMP_loop_##prefix##kind##_next(&from, &to))                                                       \
        for (type i = from; i < to; ++i)                                                                             \
          for (type j = 0; j < LENGTH; ++j) {                                                                        \
            if (i > 0) wait(i - 1, j);                                                                               \
            if (j > 0) wait(i, j - 1);                                                                               \
            paths[i][j] = i == 0 || j == 0 ? 1 : paths[i - 1][j] + paths[i][j - 1];                                  \
            share(memory, (long)(LENGTH * i + j));                                                                   \
            post(((type[]){i, j}));                                                                                  \
          }                                                                                                          \
      shared(memory);                                                                                                \
      GOMP_loop_end();                                                                                               \
    }                                                                                                                \
    CHECK(paths[LINES - 1][LENGTH - 1] == 116280);                                                                   \
  }

static void with(int kind_at_run_time, int chunk) {
  omp_set_schedule(kind_at_run_time, chunk);
  FOR(runtime, RUNTIME, 0)
  FOR_ULL(runtime, RUNTIME, 0)
  ORDERED(, long, runtime, RUNTIME, 0)
  ORDERED(ull_, u64, runtime, RUNTIME, 0)
  DOACROSS(, GOMP_doacross_post, GOMP_doacross_wait, long, runtime, RUNTIME, 0)
  DOACROSS(ull_, GOMP_doacross_ull_post, GOMP_doacross_ull_wait, u64, runtime, RUNTIME, 0)
}

#define EVERY_KIND(what, ...)             \
  what(__VA_ARGS__ static, STATIC, 0)     \
  what(__VA_ARGS__ static, STATIC | MONOTONIC, 7) \
  what(__VA_ARGS__ dynamic, DYNAMIC, 1)   \
  what(__VA_ARGS__ dynamic, DYNAMIC | MONOTONIC, 7) \
  what(__VA_ARGS__ guided, GUIDED, 2)

static void sections(void) {
#pragma omp parallel
  {
    void *memory = asks_for_memory();
    for (unsigned s = GOMP_sections2_start(N, NULL, &memory); s != 0; s = GOMP_sections_next()) {
      met(s - 1);
      share(memory, s - 1);
    }
    shared(memory);
    GOMP_sections_end();
  }
  all_once();
}

/* The program divides the iterations itself, and asks only for the memory. */
static void memory_alone(void) {
#pragma omp parallel
  {
    void *memory = asks_for_memory();
    GOMP_loop_start(0, 1, 1, STATIC | MONOTONIC, 0, NULL, NULL, NULL, &memory);
#pragma omp for
    for (int i = 0; i < N; ++i) share(memory, i);
    shared(memory);
    GOMP_loop_end();
  }
}

/* Only a static schedule can be checked exactly: it determines which thread executes which iteration. */
static void static_is_static(long kind, int chunk) {
#pragma omp parallel
  {
    const long size = chunk != 0 ? chunk : (N + omp_get_num_threads() - 1) / omp_get_num_threads();
    const int exact = chunk != 0 || N % omp_get_num_threads() == 0;
    long from, to;
    for (_Bool more = GOMP_loop_start(0, N, 1, kind, chunk, &from, &to, NULL, NULL); more;
         more = GOMP_loop_static_next(&from, &to))
      CHECK(!exact || from / size % omp_get_num_threads() == omp_get_thread_num());
    GOMP_loop_end();
    u64 first, end;
    for (_Bool more = GOMP_loop_ull_start(1, 0, N, 1, kind, (u64)chunk, &first, &end, NULL, NULL); more;
         more = GOMP_loop_ull_static_next(&first, &end))
      CHECK(!exact || (long)first / size % omp_get_num_threads() == omp_get_thread_num());
    GOMP_loop_end();
  }
}

/* More chunks than anybody executes: each thread takes a few of a loop with so many, and all are different. */
static void few_of(u64 chunks, u64 size) {
  enum { FEW = 40 };
  static u64 taken[64 * FEW];
  const u64 trips = chunks * size;
  memset(taken, 0xff, sizeof taken);
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    u64 from, to;
    int count = 0;
    for (_Bool more = GOMP_loop_ull_start(1, 0, trips, 1, DYNAMIC, size, &from, &to, NULL, NULL); more && count < FEW;
         more = GOMP_loop_ull_nonmonotonic_dynamic_next(&from, &to)) {
      CHECK(from % size == 0 && to - from == size && to <= trips);
      if (me < 64) taken[me * FEW + count] = from / size;
      ++count;
    }
    CHECK(count == FEW);
    GOMP_loop_end();
  }
  for (int i = 0; i < 64 * FEW; ++i)
    for (int k = i + 1; k < 64 * FEW; ++k) CHECK(taken[i] == ~0ull || taken[i] != taken[k]);
}

/* Chunks of nearly all iterations that a type has. */
static void large_chunks(long kind, u64 size) {
  u64 iterations = 0;
#pragma omp parallel
  {
    u64 from, to;
    for (_Bool more = GOMP_loop_ull_start(1, 3, ULLONG_MAX, 1, kind, size, &from, &to, NULL, NULL); more;
         more = GOMP_loop_ull_nonmonotonic_dynamic_next(&from, &to)) {
      CHECK(from < to && (kind != DYNAMIC || to == ULLONG_MAX || to - from == size));
      __atomic_fetch_add(&iterations, to - from, __ATOMIC_RELAXED);
    }
    GOMP_loop_end();
  }
  CHECK(iterations == ULLONG_MAX - 3);
}

static void at_the_limits(void) {
  few_of(1ull << 31, 1);        /* the most that members divide: all but the last are 2^31 - 1 */
  few_of((1ull << 31) + 1, 1);  /* too many */
  few_of(1ull << 33, 1);
  few_of((1ull << 31) - 5, 3);
  few_of(1ull << 40, 1ull << 20);
  large_chunks(DYNAMIC, 1ull << 62);
  large_chunks(DYNAMIC, ULLONG_MAX);
  large_chunks(DYNAMIC, ULLONG_MAX / 50);
  large_chunks(GUIDED, 1ull << 60);
  large_chunks(GUIDED, 1ull << 40);
}

int main(void) {
  omp_set_dynamic(0);
  for (int round = 0; round < episodes(20); ++round) {
    EVERY_KIND(FOR)
    EVERY_KIND(FOR_ULL)
    EVERY_KIND(ORDERED, , long, )
    EVERY_KIND(ORDERED, ull_, u64, )
    EVERY_KIND(DOACROSS, , GOMP_doacross_post, GOMP_doacross_wait, long, )
    EVERY_KIND(DOACROSS, ull_, GOMP_doacross_ull_post, GOMP_doacross_ull_wait, u64, )
    with(omp_sched_static, 0);
    with(omp_sched_dynamic, 4);
    with(omp_sched_guided, 3);
    sections();
    memory_alone();
    static_is_static(STATIC, 0);
    static_is_static(STATIC | MONOTONIC, 7);
  }
  at_the_limits();
  return verdict();
}
