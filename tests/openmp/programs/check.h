/* Common to all programs here. Each prints "ok" and exits with 0, or prints which checks failed and exits with 1. */
#ifndef WEIR_TESTS_OPENMP_CHECK_H
#define WEIR_TESTS_OPENMP_CHECK_H

#include <stdio.h>
#include <stdlib.h>

static int wrongs;

static inline void wrong(const char *file, int line, const char *what) {
  if (__atomic_fetch_add(&wrongs, 1, __ATOMIC_RELAXED) < 5) fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
}

/* Any thread may use it. */
#define CHECK(...) ((__VA_ARGS__) ? (void)0 : wrong(__FILE__, __LINE__, #__VA_ARGS__))

/* The value that main returns. */
static inline int verdict(void) {
  if (wrongs == 0) puts("ok");
  return wrongs != 0;
}

/* The requested team size, from the environment: tests compare the runtime's behaviour with it. */
static inline int asked(void) {
  const char *text = getenv("OMP_NUM_THREADS");
  if (text == NULL || atoi(text) < 1) {
    fprintf(stderr, "OMP_NUM_THREADS says the team size, and must be set\n");
    exit(2);
  }
  return atoi(text);
}

/* What another program or the kernel has decided is tried again: the reason is in tests/python/retries.py. */
static inline void tries_again(const char *name) { fprintf(stderr, "tries again: %s\n", name); }

/* A team that is larger than the machine takes longer for each episode. */
static inline int episodes(int small) { return asked() <= 4 ? small : small / 10; }

static inline void add(int *counter, int by) { __atomic_fetch_add(counter, by, __ATOMIC_RELAXED); }

#define PRAGMA(...) _Pragma(#__VA_ARGS__)

/* Whether the program is built with ThreadSanitizer. */
#if defined __SANITIZE_THREAD__
#define WATCHED 1
#elif defined __has_feature
#define WATCHED __has_feature(thread_sanitizer)
#else
#define WATCHED 0
#endif

#endif
