// Comes between Weir and the C library, and calls the program where a thread has been joined there, before Weir sees it, and
// where one is to be created, after Weir has heard of that.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>

void (*after_join)(pthread_t) = 0;

static int joined(pthread_t of, int error) {
  if (error == 0 && after_join != 0) after_join(of);
  return error;
}

int pthread_join(pthread_t of, void** result) {
  typedef int joins(pthread_t, void**);
  return joined(of, ((joins*)dlsym(RTLD_NEXT, "pthread_join"))(of, result));
}

int pthread_tryjoin_np(pthread_t of, void** result) {
  typedef int joins(pthread_t, void**);
  return joined(of, ((joins*)dlsym(RTLD_NEXT, "pthread_tryjoin_np"))(of, result));
}

int pthread_timedjoin_np(pthread_t of, void** result, const struct timespec* until) {
  typedef int joins(pthread_t, void**, const struct timespec*);
  return joined(of, ((joins*)dlsym(RTLD_NEXT, "pthread_timedjoin_np"))(of, result, until));
}

void (*before_create)(void) = 0;

int pthread_create(pthread_t* to, const pthread_attr_t* attributes, void* (*run)(void*), void* what) {
  typedef int creates(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  creates* const next = (creates*)dlsym(RTLD_NEXT, "pthread_create");
  if (before_create != 0) before_create();
  return next(to, attributes, run, what);
}
