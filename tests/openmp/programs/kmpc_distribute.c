/* LLVM's entry points for a loop over a league and its teams together: each iteration is executed once, for every type. */
#include "check.h"
#include "kmpc.h"
#include <omp.h>
#include <string.h>

typedef int s4;
typedef unsigned u4;
typedef long long s8;
typedef unsigned long long u8;

void __kmpc_for_static_fini(place *, int);

enum { N = 150, CHUNKED = 33, BLOCK = 34, DYNAMIC = 35, GUIDED = 36, DISTRIBUTE_CHUNKED = 91, DISTRIBUTE_BLOCK = 92 };
static int times[N], lasts;

static void met(unsigned long long number) {
  CHECK(number < N);
  if (number < N) add(&times[number], 1);
}

static void all_once(void) {
  for (int i = 0; i < N; ++i) CHECK(times[i] == 1);
  memset(times, 0, sizeof times);
  CHECK(lasts == 1);
  lasts = 0;
}

/* From `first` on in steps of 3, up or down. */
#define FOR_TYPE(suffix, type, signed_type)                                                                             \
  void __kmpc_dist_for_static_init_##suffix(place *, int, int, int *, type *, type *, type *, signed_type *, signed_type, \
                                            signed_type);                                                               \
  void __kmpc_dist_dispatch_init_##suffix(place *, int, int, int *, type, type, signed_type, signed_type);              \
  int __kmpc_dispatch_next_##suffix(place *, int, int *, type *, type *, signed_type *);                                \
  void __kmpc_team_static_init_##suffix(place *, int, int *, type *, type *, signed_type *, signed_type, signed_type);  \
  static void run_##suffix(type first, signed_type step) {                                                              \
    const type end = (type)(first + (type)(N - 1) * (type)step);                                                        \
    _Pragma("omp teams num_teams(2)") {                                                                                 \
      _Pragma("omp parallel") {                                                                                         \
        int last = 0;                                                                                                   \
        type lower = first, upper = end, team = 0;                                                                      \
        signed_type stride = 0;                                                                                         \
        const int me = __kmpc_global_thread_num(&here);                                                                 \
        __kmpc_dist_for_static_init_##suffix(&here, me, BLOCK, &last, &lower, &upper, &team, &stride, step, 1);         \
        for (type i = lower; step > 0 ? i <= upper : i >= upper; i = (type)(i + (type)step))                            \
          met((type)(i - first) / (type)step);                                                                          \
        __kmpc_for_static_fini(&here, me);                                                                              \
        add(&lasts, last);                                                                                              \
      }                                                                                                                 \
    }                                                                                                                   \
    all_once();                                                                                                         \
    _Pragma("omp teams num_teams(2)") {                                                                                 \
      _Pragma("omp parallel") {                                                                                         \
        int last = 0;                                                                                                   \
        type lower = first, upper = end, team = 0;                                                                      \
        signed_type stride = 0;                                                                                         \
        const int me = __kmpc_global_thread_num(&here);                                                                 \
        __kmpc_dist_for_static_init_##suffix(&here, me, CHUNKED, &last, &lower, &upper, &team, &stride, step, 7);       \
        for (; step > 0 ? lower <= team : lower >= team; lower = (type)(lower + (type)stride)) {                        \
          for (type i = lower; i != (type)(lower + 7 * (type)step) && (step > 0 ? i <= team : i >= team);               \
               i = (type)(i + (type)step))                                                                              \
            met((type)(i - first) / (type)step);                                                                        \
        }                                                                                                               \
        add(&lasts, last);                                                                                              \
      }                                                                                                                 \
    }                                                                                                                   \
    all_once();                                                                                                         \
    for (int kind = DYNAMIC; kind <= GUIDED; ++kind) {                                                                  \
      _Pragma("omp teams num_teams(2)") {                                                                               \
        _Pragma("omp parallel") {                                                                                       \
          int last = 0, of_team = 0;                                                                                    \
          type lower = 0, upper = 0;                                                                                    \
          signed_type stride = 0;                                                                                       \
          const int me = __kmpc_global_thread_num(&here);                                                               \
          __kmpc_dist_dispatch_init_##suffix(&here, me, kind, &of_team, first, end, step, 7);                           \
          while (__kmpc_dispatch_next_##suffix(&here, me, &last, &lower, &upper, &stride)) {                            \
            for (type i = lower; step > 0 ? i <= upper : i >= upper; i = (type)(i + (type)step))                        \
              met((type)(i - first) / (type)step);                                                                      \
            add(&lasts, last && of_team);                                                                               \
          }                                                                                                             \
        }                                                                                                               \
      }                                                                                                                 \
      all_once();                                                                                                       \
    }                                                                                                                   \
    _Pragma("omp teams num_teams(2)") {                                                                                 \
      int last = 0;                                                                                                     \
      type lower = first, upper = end;                                                                                  \
      signed_type stride = 0;                                                                                           \
      __kmpc_team_static_init_##suffix(&here, __kmpc_global_thread_num(&here), &last, &lower, &upper, &stride, step, 7); \
      for (; step > 0 ? lower <= end : lower >= end; lower = (type)(lower + (type)stride))                              \
        for (type i = lower; i != (type)(lower + 7 * (type)step) && (step > 0 ? i <= end : i >= end);                   \
             i = (type)(i + (type)step))                                                                                \
          met((type)(i - first) / (type)step);                                                                          \
      add(&lasts, last);                                                                                                \
    }                                                                                                                   \
    all_once();                                                                                                         \
  }
FOR_TYPE(4, s4, s4)
FOR_TYPE(4u, u4, s4)
FOR_TYPE(8, s8, s8)
FOR_TYPE(8u, u8, s8)

/* A distributed loop is divided among teams: each member of a team gets its team's iterations. */
void __kmpc_for_static_init_4(place *, int, int, int *, int *, int *, int *, int, int);
static void the_teams_own(int kind, int chunk) {
#pragma omp teams num_teams(2)
  {
    int last = 0, lower = 10, upper = 500, stride = 0;
    __kmpc_for_static_init_4(&here, __kmpc_global_thread_num(&here), kind, &last, &lower, &upper, &stride, 1, chunk);
#pragma omp parallel
    {
      int its_last = 0, from = 10, to = 500, step = 0;
      __kmpc_for_static_init_4(&here, __kmpc_global_thread_num(&here), kind, &its_last, &from, &to, &step, 1, chunk);
      CHECK(from == lower && to == upper && step == stride && its_last == last);
    }
  }
}

int main(void) {
  omp_set_dynamic(0);
  run_4(-100, 3);
  run_4u(5, 3);
  run_8(-100000000000, 3);
  run_8u(1ull << 63, 3);
  the_teams_own(DISTRIBUTE_BLOCK, 1);
  the_teams_own(DISTRIBUTE_CHUNKED, 7);
  return verdict();
}
