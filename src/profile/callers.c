#define _GNU_SOURCE
#include "callers.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNTIMES = 8 };
static struct runtime runtimes[RUNTIMES];
static unsigned found_runtimes;
/* Held only while a new caller is added. */
static pthread_mutex_t finding = PTHREAD_MUTEX_INITIALIZER;

/* In the child of a fork the mutex is free, whichever thread held it: the tables that it guards only grow, and an entry is
 * counted when it is complete. */
static void reset_mutex(void) { pthread_mutex_init(&finding, NULL); }
__attribute__((constructor)) static void when_loaded(void) { pthread_atfork(NULL, NULL, reset_mutex); }

struct object {
  const char *address; /* the address to look up */
  const char *begin, *end;
};

static int surrounds(struct dl_phdr_info *info, size_t size, void *asked) {
  (void)size;
  struct object *o = asked;
  const char *begin = NULL, *end = NULL;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
    const char *from = (const char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    const char *to = from + info->dlpi_phdr[i].p_memsz;
    if (begin == NULL || from < begin) begin = from;
    if (to > end) end = to;
  }
  if (o->address < begin || o->address >= end) return 0;
  o->begin = begin, o->end = end;
  return 1;
}

/* Binds as the dynamic linker does: the global scope first, then the libraries that the caller was linked with, which may not be
 * in the global scope (a Python package's). Any other order would send a call to another runtime than calls that are not
 * intercepted, such as omp_get_thread_num. */
static void *meant(const char *name, const char *caller, const void *ourselves) {
  void *it = dlsym(RTLD_NEXT, name);
  if (it != NULL) return it;
  Dl_info info;
  if (dladdr(caller, &info) == 0 || info.dli_fname == NULL) return NULL;
  void *object = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (object == NULL) return NULL;
  it = dlsym(object, name);
  dlclose(object);
  return it != ourselves ? it : NULL;
}

/* The runtime that contains the function; null if it reports through OMPT, or is no runtime. */
static const struct runtime *runtime_of(const void *function) {
  Dl_info info;
  if (dladdr(function, &info) == 0 || info.dli_fname == NULL) return NULL;
  for (unsigned i = 0; i < found_runtimes; ++i)
    if (strncmp(runtimes[i].path, info.dli_fname, PATH_BYTES - 1) == 0) return &runtimes[i];
  void *library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (library == NULL || found_runtimes == RUNTIMES) return NULL;
  struct runtime r;
  memset(&r, 0, sizeof r);
  strncpy(r.path, info.dli_fname, PATH_BYTES - 1);
#define ITS(member, name) *(void **)&r.member = dlsym(library, name)
  ITS(thread_num, "omp_get_thread_num");
  ITS(num_threads, "omp_get_num_threads");
  ITS(max_threads, "omp_get_max_threads");
  ITS(active_level, "omp_get_active_level");
  ITS(max_active_levels, "omp_get_max_active_levels");
  ITS(thread_limit, "omp_get_thread_limit");
#undef ITS
  const int reports = dlsym(library, "ompt_start_tool") != NULL;  /* by OMPT, which counts it */
  dlclose(library);
  if (reports || r.thread_num == NULL || r.num_threads == NULL || r.max_threads == NULL || r.active_level == NULL ||
      r.max_active_levels == NULL || r.thread_limit == NULL)
    return NULL;
  runtimes[found_runtimes] = r;
  /* release: a child that is forked here has the complete entry, or none. */
  __atomic_store_n(&found_runtimes, found_runtimes + 1, __ATOMIC_RELEASE);
  return &runtimes[found_runtimes - 1];
}

struct target weir_find(struct targets *seen, const char *name, const void *caller, const void *ourselves) {
  const char *address = caller;
  const unsigned known = __atomic_load_n(&seen->known, __ATOMIC_ACQUIRE);
  for (unsigned i = 0; i < known; ++i)
    if (address >= seen->of[i].begin && address < seen->of[i].end) return seen->of[i].target;

  pthread_mutex_lock(&finding);
  struct target target = {NULL, NULL};
  *(void **)&target.call = meant(name, address, ourselves);
  if (target.call == NULL) {
    fprintf(stderr, "weir-profile: no OpenMP runtime of this process has %s\n", name);
    abort();
  }
  target.where = runtime_of(*(void **)&target.call);
  struct object o = {address, NULL, NULL};
  const unsigned next = seen->known; /* the mutex is held, so no other thread writes it */
  if (dl_iterate_phdr(surrounds, &o) != 0 && next < OBJECTS) {
    seen->of[next].begin = o.begin;
    seen->of[next].end = o.end;
    seen->of[next].target = target;
    __atomic_store_n(&seen->known, next + 1, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&finding);
  return target;
}
