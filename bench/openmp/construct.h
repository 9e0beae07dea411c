/* The subjects of the suite: one function for each construct, with the way in which its time is compared; and whole programs.
   In C, so that functions in Fortran and C++ can be in the same table. */
#ifndef WEIR_BENCH_OPENMP_CONSTRUCT_H
#define WEIR_BENCH_OPENMP_CONSTRUCT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The computing of a directive, with whose time the directive's time is compared [paper 003, section II]. */
enum work {
  WORK_OF_EACH, /* a delay on each thread */
  WORK_OF_ONE,  /* a delay on one thread: the others wait, or pass by, or take their turn */
  WORK_OF_TWO,  /* a delay on each of two threads, or two on the only one */
  WORK_OF_LOOP, /* 1,024 delays on each thread */
  WORK_SHARED,  /* a delay, done by whichever thread is free: with p processors p are done at a time */
  WORK_IS_UPDATE /* no delay, but an update of a shared variable */
};

enum parameter { NO_PARAMETER, CHUNK, SIZE };

/* A delay is of the same order as the measured overhead [paper 003, section II]. Directives that cost a few nanoseconds have a
   tenth of the delay, since the disturbances of a sample are proportional to its computing. */
enum delay { FULL, BRIEF };

struct construct {
  const char *name;      /* barrier, for, schedule-static, ... */
  enum work work;
  enum parameter parameter;
  /* `count` directives, each with its delays; the parameter is the chunk or the size. Opens its own region. */
  void (*run)(long count, long parameter);
  enum delay delay;
  /* Instead of `run`: executes a whole program once, and returns its time in nanoseconds, which is reported as it is;
     negative: the result was wrong. */
  double (*program)(void);
};

/* The delay: a loop of dependent arithmetic [paper 003, section II]. It is in a file of its own, compiled the same way for all
   programs. Its length is set once and not passed: as a shared variable of each region it would cost every thread the transfer
   of a line. */
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

/* The constructs of a program, up to a null pointer; in one file for each language. */
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
