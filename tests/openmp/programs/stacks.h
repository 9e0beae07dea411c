/* The size of a thread's stack. Programs that include this begin by defining _GNU_SOURCE. */
#ifndef WEIR_TESTS_OPENMP_STACKS_H
#define WEIR_TESTS_OPENMP_STACKS_H

#include <pthread.h>
#include <stddef.h>

static inline size_t stack_here(void) {
  size_t bytes = 0;
  pthread_attr_t attributes;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstacksize(&attributes, &bytes);
  pthread_attr_destroy(&attributes);
  return bytes;
}

#endif
