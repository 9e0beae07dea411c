/* What the code of GCC's development branch calls, as its tests and omp-builtins.def of 2026 say. */
#include "check.h"
#include <omp.h>
#include <string.h>

enum { implicit_parallel, implicit_workshare, explicit_barrier };
void GOMP_barrier_ext(int);
_Bool GOMP_barrier_cancel_ext(int);
_Complex int GOMP_loop_static_worksharing(void);
_Complex int GOMP_loop_static_worksharing_start(void);
void GOMP_loop_static_worksharing_dispatch(void);
void GOMP_loop_static_worksharing_end(void);
_Complex int GOMP_distribute_static_worksharing(void);
_Complex int GOMP_distribute_static_worksharing_start(void);
void GOMP_distribute_static_worksharing_dispatch(void);
void GOMP_distribute_static_worksharing_end(void);
_Bool GOMP_cancel(int which, _Bool condition);
_Bool GOMP_has_masked_thread_num(int);
void GOMP_masked_end(void);
_Bool GOMP_single_start_with_end(void);
void GOMP_single_end(void);
void GOMP_reduction_start(void);
void GOMP_reduction_end(void);

enum { N = 1000 };
static int times[N];

static void each_once(void) {
  for (int i = 0; i < N; ++i) CHECK(times[i] == 1);
  memset(times, 0, sizeof times);
}

/* As the compiler's code divides a loop into one block each. */
static void take_block(_Complex int share) {
  const int count = __real__ share, block = __imag__ share, length = N / count, longer = N % count;
  const int begin = block * length + (block < longer ? block : longer);
  for (int i = begin; i < begin + length + (block < longer); ++i) add(&times[i], 1);
}

static void loops(void) {
  CHECK(__real__ GOMP_loop_static_worksharing() == 1 && __imag__ GOMP_loop_static_worksharing() == 0);
#pragma omp parallel
  {
    take_block(GOMP_loop_static_worksharing());
    GOMP_barrier_ext(implicit_workshare);
    if (GOMP_has_masked_thread_num(0)) each_once();
    GOMP_barrier_ext(explicit_barrier);
    GOMP_loop_static_worksharing_dispatch();
    take_block(GOMP_loop_static_worksharing_start());
    GOMP_loop_static_worksharing_end();
    GOMP_barrier_ext(implicit_parallel);
  }
  each_once();
}

static void leagues(void) {
  CHECK(__real__ GOMP_distribute_static_worksharing() == 1 && __imag__ GOMP_distribute_static_worksharing() == 0);
  for (int teams = 1; teams < 5; ++teams) {
#pragma omp teams num_teams(teams)
    take_block(GOMP_distribute_static_worksharing());
    each_once();
#pragma omp teams num_teams(teams)
    {
      GOMP_distribute_static_worksharing_dispatch();
      take_block(GOMP_distribute_static_worksharing_start());
      GOMP_distribute_static_worksharing_end();
    }
    each_once();
  }
}

static void masked_and_single(void) {
  int first = 0, third = 0, single = 0;
#pragma omp parallel
  for (int round = 0; round < 50; ++round) {
    if (GOMP_has_masked_thread_num(0)) {
      add(&first, 1);
      GOMP_masked_end();
    }
    if (GOMP_has_masked_thread_num(2)) add(&third, 1);
    if (GOMP_single_start_with_end()) {
      add(&single, 1);
      GOMP_single_end();
    }
    GOMP_barrier_ext(implicit_workshare);
    CHECK(single == round + 1);
    GOMP_barrier_ext(explicit_barrier);
  }
  CHECK(first == 50 && third == (asked() > 2 ? 50 : 0) && single == 50);
}

static void reductions(void) {
  long sum = 0, product = 1;
#pragma omp parallel
  for (int round = 0; round < 20; ++round) {
    GOMP_reduction_start();
    sum += omp_get_thread_num();
    product = product * 3 % 1000003;
    GOMP_reduction_end();
  }
  long expected = 1;
  for (int i = 0; i < 20 * asked(); ++i) expected = expected * 3 % 1000003;
  CHECK(sum == 10l * asked() * (asked() - 1) && product == expected);
}

/* Where cancellation is in force the barrier says whether the region was cancelled. */
static void cancelled(void) {
  int left = 0, passed = 0;
#pragma omp parallel
  CHECK(!GOMP_barrier_cancel_ext(explicit_barrier));
#pragma omp parallel
  {
    /* cancel parallel */
    if ((omp_get_thread_num() == 0 && GOMP_cancel(1, 1)) || GOMP_barrier_cancel_ext(explicit_barrier))
      add(&left, 1);
    else
      add(&passed, 1);
  }
  CHECK(passed == 0 && left == asked());
}

int main(void) {
  omp_set_dynamic(0);
  loops();
  leagues();
  masked_and_single();
  reductions();
  if (omp_get_cancellation()) cancelled();
  return verdict();
}
