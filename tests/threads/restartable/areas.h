/* What the library of areas.c and the programs that use it share (main.cpp). */
#ifndef WEIR_TESTS_AREAS_H
#define WEIR_TESTS_AREAS_H

#include <stddef.h>

/* Which area a thread has for restartable sequences, by the environment:
     a number            the C library's, of that many bytes
     own, own_late       the C library has none (glibc.pthread.rseq=0); each thread registers one when it begins, or when it
                         first counts
     bare, bare_late     the same by an instruction instead of syscall()
     kept                the C library's, of 32 bytes, and the kernel refuses to give it up: a filter
     absent              the kernel knows no restartable sequences: a filter, from the program's beginning */
#define AREA_VARIABLE "WEIR_TEST_AREA"

#ifdef __cplusplus
extern "C" {
#endif
struct area {
  unsigned cpu_id_start;
  int cpu_id; /* less than 0: not registered */
  unsigned long long section;
};
/* The calling thread's, registered where it may be. */
struct area *area_of_thread(void);
/* From now on the kernel returns this error for all calls that concern areas, or for those that give one up. */
void refuse_areas(int only_to_give_up, unsigned error);
long bare_call(long number, long a, long b, long c, long d);
#ifdef __cplusplus
}
#endif

#endif
