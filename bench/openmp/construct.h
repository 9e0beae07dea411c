/* What the suite measures: one function for each construct, and how its time is compared; and whole programs. C, so that
   Fortran's and C++'s functions stand in the same table. */
#ifndef WEIR_BENCH_OPENMP_CONSTRUCT_H
#define WEIR_BENCH_OPENMP_CONSTRUCT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a directive's computing is, and so with what its time is compared [paper 003, section II]. */
enum work {
  WORK_OF_EACH, /* a delay on each thread */
  WORK_OF_ONE,  /* a delay on one thread: the others wait, or pass by, or take their turn */
  WORK_OF_TWO,  /* a delay on each of two threads, or two on the only one */
  WORK_OF_LOOP, /* 1,024 delays on each thread */
  WORK_SHARED,  /* a delay, done by whichever thread is free: with p processors p are done at a time */
  WORK_IS_UPDATE /* no delay, but an update of a shared variable */
};

enum parameter { NO_PARAMETER, CHUNK, SIZE };

/* A delay is of the same order as the overhead that is measured [paper 003, section II]: a tenth for directives that cost a few
   nanoseconds, since disturbances of a sample are in proportion to its computing. */
enum delay { FULL, BRIEF };

struct construct {
  const char *name;      /* barrier, for, schedule-static, ... */
  enum work work;
  enum parameter parameter;
  /* `count` directives, each with its delays; the parameter is the chunk or the size. Opens its own region. */
  void (*run)(long count, long parameter);
  enum delay delay;
  /* Instead of `run`: executes a whole program once, and returns how many nanoseconds it took; negative: its result was
     wrong. Its time is reported as it is. */
  double (*program)(void);
};

/* The delay: a loop of dependent arithmetic [paper 003, section II]. In a file of its own, compiled the same for all. Its
   length is set once and not passed: as a shared variable of each region it would cost every thread a line's transfer. */
void weir_delay(void);
void weir_set_delay(long length);
/* So that the compiler must assume that the variable is used. */
void weir_look_at(void *what);

struct group {
  const char *name;
  const struct construct *constructs;
  size_t count;
};
extern const struct group weir_synchronisation, weir_exclusion, weir_schedules, weir_tasks, weir_data, weir_programs;

/* What a program has, up to a null pointer; in one file for each language. */
extern const char weir_language[];
extern const struct group *const weir_groups[];

/* The runtime, in one file for OpenMP and in one for each library of tasks. */
int weir_threads(void);     /* of a team, as OMP_NUM_THREADS asks */
void weir_start_team(void); /* a team computes a delay */
/* An address of the runtime's code. */
void *weir_runtime(void);

#ifdef __cplusplus
}
#endif

#endif
