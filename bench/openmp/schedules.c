/* Loop schedules: 1,024 iterations for each thread [paper 003, section II]; the parameter is the chunk. */
#include "construct.h"

#include <omp.h>

enum { ITERATIONS = 1024 };
#define SCHEDULE(name, kind)                                                                       \
  static void name(long count, long chunk) {                                          \
    (void)chunk;                                                                                   \
    _Pragma("omp parallel") for (long j = 0; j < count; ++j) {                                     \
      _Pragma(kind) for (long i = 0; i < (long)ITERATIONS * omp_get_num_threads(); ++i) weir_delay(); \
    }                                                                                              \
  }
SCHEDULE(schedule_static, "omp for schedule(static)")
SCHEDULE(schedule_static_n, "omp for schedule(static, chunk)")
SCHEDULE(schedule_dynamic_n, "omp for schedule(dynamic, chunk)")
SCHEDULE(schedule_guided_n, "omp for schedule(guided, chunk)")
SCHEDULE(schedule_auto, "omp for schedule(auto)")

static void schedule_dynamic_n_monotonic(long count, long chunk) {
#pragma omp parallel
  for (long j = 0; j < count; ++j) {
#pragma omp for schedule(monotonic : dynamic, chunk)
    for (long i = 0; i < (long)ITERATIONS * omp_get_num_threads(); ++i) weir_delay();
  }
}

static void schedule_dynamic_n_nonmonotonic(long count, long chunk) {
#pragma omp parallel
  for (long j = 0; j < count; ++j) {
#pragma omp for schedule(nonmonotonic : dynamic, chunk)
    for (long i = 0; i < (long)ITERATIONS * omp_get_num_threads(); ++i) weir_delay();
  }
}

static const struct construct constructs[] = {
    {"schedule-static", WORK_OF_LOOP, NO_PARAMETER, schedule_static},
    {"schedule-static-n", WORK_OF_LOOP, CHUNK, schedule_static_n},
    {"schedule-dynamic-n", WORK_OF_LOOP, CHUNK, schedule_dynamic_n},
    {"schedule-monotonic-dynamic-n", WORK_OF_LOOP, CHUNK, schedule_dynamic_n_monotonic},
    {"schedule-nonmonotonic-dynamic-n", WORK_OF_LOOP, CHUNK, schedule_dynamic_n_nonmonotonic},
    {"schedule-guided-n", WORK_OF_LOOP, CHUNK, schedule_guided_n},
    {"schedule-auto", WORK_OF_LOOP, NO_PARAMETER, schedule_auto},
};
const struct group weir_schedules = {"schedule", constructs, sizeof constructs / sizeof constructs[0]};
