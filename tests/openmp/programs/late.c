/* dlopen and dlclose: a program without OpenMP opens a library that uses it. Built twice: with LIBRARY as the library,
   PROGRAM.so, and without OpenMP as the program. */
#include "check.h"

#ifdef LIBRARY
#include <omp.h>

int work(int size);
int work(int size) {
  int members = 0, sum = 0;
#pragma omp parallel num_threads(size)
  {
    add(&members, 1);
#pragma omp for schedule(dynamic) reduction(+ : sum)
    for (int i = 0; i < 10; ++i) sum += i;
  }
  return members == size && sum == 45 && omp_get_max_threads() == asked();
}

#else
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static char path[4096];

static void *use(void *how) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  int (*work)(int);
  *(void **)&work = dlsym(library, "work");
  CHECK(work != NULL && work(asked()) && work(3) && work(1) && work(asked()));
  if (how != NULL) CHECK(dlclose(library) == 0);
  return NULL;
}

/* The library is closed right after the end of the only thread that used it: that thread's workers may still be ending. */
static void *use_only(void *library) {
  int (*work)(int);
  *(void **)&work = dlsym(library, "work");
  CHECK(work != NULL && work(asked()));
  return NULL;
}

static void used_by_others(void) {
  for (int i = 0; i < 50; ++i) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    pthread_t other;
    CHECK(library != NULL && pthread_create(&other, NULL, use_only, library) == 0);
    pthread_join(other, NULL);
    CHECK(dlclose(library) == 0);
  }
}

int main(void) {
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 4);
  if (length < 0) return 2;
  memcpy(path + length, ".so", 4);
  used_by_others();
  for (int i = 0; i < 5; ++i) use(path);
  pthread_t other;
  CHECK(pthread_create(&other, NULL, use, path) == 0); /* this thread ends after it has closed the library */
  pthread_join(other, NULL);
  use(NULL);
  return verdict();
}
#endif
