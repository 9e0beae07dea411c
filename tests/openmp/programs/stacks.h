/* How large a thread's stack is. Programs with it begin by defining _GNU_SOURCE. */
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
