/* What the suite measures: one function for each construct, and how its time is compared. C, so that Fortran's
   functions stand in the same table. */
#ifndef WEIR_BENCH_OPENMP_CONSTRUCT_H
#define WEIR_BENCH_OPENMP_CONSTRUCT_H

#include <stddef.h>

/* What a directive's computing is, and so with what its time is compared [paper 003, section II]. */
enum work {
  WORK_OF_EACH, /* a delay on each thread */
  WORK_OF_ONE,  /* a delay on one thread: the others wait, or pass by, or take their turn */
  WORK_OF_LOOP  /* 1,024 delays on each thread */
};

struct construct {
  const char *name;      /* barrier, for, schedule-static, ... */
  const char *group;     /* synchronisation, exclusion, schedule */
  enum work work;
  int parameter;         /* does it take one: a chunk? */
  /* `count` directives, each with delays of `length`; the parameter is the chunk. Opens its own region. */
  void (*run)(long count, long length, long parameter);
};

/* The delay: a loop of dependent arithmetic [paper 003, section II]. In a file of its own, compiled the same for all. */
void weir_delay(long length);
/* A program's constructs; in one file for each language. */
extern const char weir_language[];
extern const struct construct weir_constructs[];
extern const size_t weir_construct_count;

#endif
