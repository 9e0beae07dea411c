/* All constructs that the suite measures in Fortran: the table of constructs.f90. */
#include "construct.h"

#define FORTRAN(name) void weir_f_##name(long count, long parameter);
FORTRAN(parallel)
FORTRAN(do)
FORTRAN(parallel_do)
FORTRAN(barrier)
FORTRAN(single)
FORTRAN(copyprivate)
FORTRAN(master)
FORTRAN(workshare)
FORTRAN(reduction)
FORTRAN(critical)
FORTRAN(lock)
FORTRAN(atomic)
FORTRAN(ordered)
FORTRAN(schedule_static)
FORTRAN(schedule_static_n)
FORTRAN(schedule_dynamic_n)
FORTRAN(schedule_guided_n)

static const struct construct synchronisation[] = {
    {"parallel", WORK_OF_EACH, NO_PARAMETER, weir_f_parallel},
    {"for", WORK_OF_EACH, NO_PARAMETER, weir_f_do},
    {"parallel-for", WORK_OF_EACH, NO_PARAMETER, weir_f_parallel_do},
    {"barrier", WORK_OF_EACH, NO_PARAMETER, weir_f_barrier},
    {"single", WORK_OF_ONE, NO_PARAMETER, weir_f_single},
    {"copyprivate", WORK_OF_ONE, NO_PARAMETER, weir_f_copyprivate},
    {"master", WORK_OF_ONE, NO_PARAMETER, weir_f_master, BRIEF},
    {"workshare", WORK_OF_EACH, NO_PARAMETER, weir_f_workshare},
    {"reduction", WORK_OF_EACH, NO_PARAMETER, weir_f_reduction},
};
static const struct construct exclusion[] = {
    {"critical", WORK_OF_ONE, NO_PARAMETER, weir_f_critical},
    {"lock", WORK_OF_ONE, NO_PARAMETER, weir_f_lock},
    {"atomic", WORK_IS_UPDATE, NO_PARAMETER, weir_f_atomic},
    {"ordered", WORK_OF_ONE, NO_PARAMETER, weir_f_ordered},
};
static const struct construct schedules[] = {
    {"schedule-static", WORK_OF_LOOP, NO_PARAMETER, weir_f_schedule_static},
    {"schedule-static-n", WORK_OF_LOOP, CHUNK, weir_f_schedule_static_n},
    {"schedule-dynamic-n", WORK_OF_LOOP, CHUNK, weir_f_schedule_dynamic_n},
    {"schedule-guided-n", WORK_OF_LOOP, CHUNK, weir_f_schedule_guided_n},
};

#define GROUP(name, words) static const struct group name##_group = {words, name, sizeof name / sizeof name[0]};
GROUP(synchronisation, "synchronisation")
GROUP(exclusion, "exclusion")
GROUP(schedules, "schedule")

const char weir_language[] = "Fortran";
const struct group *const weir_groups[] = {&synchronisation_group, &exclusion_group, &schedules_group, NULL};
