// Comes between Weir and the C library, and calls the program where a thread has been joined there, before Weir hears of it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>

void (*after_join)(pthread_t) = 0;

int pthread_join(pthread_t of, void** result) {
  int (*const next)(pthread_t, void**) = (int (*)(pthread_t, void**))dlsym(RTLD_NEXT, "pthread_join");
  const int error = next(of, result);
  if (error == 0 && after_join != 0) after_join(of);
  return error;
}
