/* The reference with which a directive's time is compared: the time of its computing alone. */
#ifndef WEIR_BENCH_OPENMP_REFERENCE_H
#define WEIR_BENCH_OPENMP_REFERENCE_H

#include <time.h>

#include "construct.h"

/* The part of the machine that the team may use. */
struct share {
  long processors; /* that its threads may run on */
  double capacity; /* how many processors' time they get: less under a quota, or where others run as well */
};

#ifdef __cplusplus
extern "C" {
#endif

double clock_ns(clockid_t which);
/* The length for weir_set_delay() with which a delay takes this long on this machine. */
long length_of_delay(double ns);
/* T_s / p [paper 003, section II]: nanoseconds that the computing of one of `count` directives takes on this part of the
   machine. */
double reference_ns(enum work work, long count, struct share share);

#ifdef __cplusplus
}
#endif

#endif
