/* libweir-mpi.so: preloaded, it replaces MPI_Barrier, whichever MPI the program uses.
 *
 * It is linked with no MPI and does nothing until a barrier is called. Then it finds out which MPI the process has, and opens the
 * library beside itself that was built for that MPI. Calls that it cannot serve go to PMPI_Barrier. It is written in C so that it
 * brings no C++ library into the program. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "absent.h"

static struct {
  int (*barrier)(communicator);
  int (*barrier_f)(int);
} weir;

static struct {
  int (*barrier)(communicator);
  communicator (*from_fortran)(int); /* NULL: C has the same handles as Fortran */
  int (*version)(char *, int *);
} mpi;

/* Code that runs once uses static memory: where the address space is limited, no stack can grow. */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int own_barrier_f(int comm) { return weir.barrier(mpi.from_fortran ? mpi.from_fortran(comm) : (communicator)(long)comm); }

/* A loaded object whose symbols may not be in the global scope: Python's extension modules, and the MPI that they need. */
struct search {
  const char *name;
  unsigned object;
  char path[4096];
};

static int nth(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  struct search *s = data;
  if (s->object-- > 0) return 0;
  snprintf(s->path, sizeof s->path, "%s", info->dlpi_name);
  return 1;
}

/* dl_iterate_phdr holds a lock that dlopen needs: each object's path is looked up by its number, and opened outside. */
static void *in_any_object(const char *name) {
  static struct search s;
  for (unsigned object = 0;; ++object) {
    s.object = object;
    if (dl_iterate_phdr(nth, &s) == 0) return NULL;
    void *const handle = s.path[0] == '\0' ? NULL : dlopen(s.path, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == NULL) continue;
    void *const found = dlsym(handle, name);
    dlclose(handle);
    if (found != NULL) return found;
  }
}

/* The program comes first: it may hold the only copy of a variable of MPI's (a copy relocation). */
static void *of_mpi(const char *name) {
  void *const found = dlsym(RTLD_DEFAULT, name);
  return found != NULL ? found : in_any_object(name);
}

/* The MPI's own version text, in one line, and the name of Weir's library for it; NULL for an MPI that Weir does not support. */
static const char *library_for(char *text) {
  int length = 0;
  if (mpi.version == NULL || mpi.version(text, &length) != 0) snprintf(text, 32, "an MPI without a name");
  text[strcspn(text, "\n")] = '\0';
  if (strstr(text, "Open MPI") != NULL) return "openmpi";
  /* MPICH, and those that keep its binary interface. */
  if (strstr(text, "PICH") != NULL || strstr(text, "Intel(R) MPI") != NULL) return "mpich";
  return NULL;
}

static void mpis_own(const char *why) {
  static char line[8192 + 64];
  const int bytes = snprintf(line, sizeof line, "weir: MPI_Barrier stays MPI's own: %s\n", why);
  /* fprintf would take a buffer on the stack. */
  if (write(STDERR_FILENO, line, (size_t)bytes) != bytes) return;
}

/* NULL if the library cannot be opened; `why` then has the reason. */
static void *open_library(const char *mpi_name, char *why, size_t bytes) {
  Dl_info here;
  static char path[4096];
  const char *end = NULL;
  if (dladdr((void *)&once, &here) != 0 && here.dli_fname != NULL) end = strrchr(here.dli_fname, '/');
  const int folder = end == NULL ? 0 : (int)(end + 1 - here.dli_fname);
  snprintf(path, sizeof path, "%.*slibweir-mpi-%s.so", folder, folder == 0 ? "" : here.dli_fname, mpi_name);
  void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    snprintf(why, bytes, "%s; build Weir where mpicc.%s is installed, and keep its libraries in one folder", dlerror(), mpi_name);
    return NULL;
  }
  if (dlsym(library, "PMPI_Barrier") == (void *)mpi.barrier) return library;
  snprintf(why, bytes, "%s was built for another MPI than this program's; build Weir with the program's mpicc", path);
  dlclose(library);
  return NULL;
}

/* Other processes may have their library: this one answers when they ask. */
static void without_library(const char *mpi_name, const char *why) {
  mpis_own(why);
  if (weir_find_absent(of_mpi, strcmp(mpi_name, "mpich") == 0)) weir.barrier = weir_absent_barrier;
}

static void find(void) {
  *(void **)&mpi.barrier = of_mpi("PMPI_Barrier");
  if (mpi.barrier == NULL) {
    fprintf(stderr, "weir: MPI_Barrier was called, but no library of this process has PMPI_Barrier: link the program "
                    "with MPI, or do not preload libweir-mpi.so\n");
    abort();
  }
  *(void **)&mpi.from_fortran = of_mpi("PMPI_Comm_f2c");
  *(void **)&mpi.version = of_mpi("PMPI_Get_library_version");
  weir.barrier = mpi.barrier;
  weir.barrier_f = own_barrier_f;

  static char version[8192 + 1], why[8192]; /* as long as the longest MPI_MAX_LIBRARY_VERSION_STRING */
  const char *const name = library_for(version);
  if (name == NULL) {
    snprintf(why, sizeof why, "Weir supports MPICH and Open MPI, and this is %.200s; do not preload libweir-mpi.so here",
             version);
    return mpis_own(why);
  }
  void *const library = open_library(name, why, sizeof why);
  if (library == NULL) return without_library(name, why);
  void *const barrier = dlsym(library, "weir_mpi_barrier"), *const barrier_f = dlsym(library, "weir_mpi_barrier_f");
  if (barrier == NULL || barrier_f == NULL) {
    snprintf(why, sizeof why, "libweir-mpi-%s.so has no weir_mpi_barrier: install it and libweir-mpi.so from one build", name);
    return without_library(name, why);
  }
  *(void **)&weir.barrier = barrier;
  *(void **)&weir.barrier_f = barrier_f;
}

int MPI_Barrier(communicator comm) {
  pthread_once(&once, find);
  return weir.barrier(comm);
}

/* For `use mpi_f08` in both MPIs, whose error code is optional; its communicators contain only the number. */
void mpi_barrier_f08_(const int *comm, int *error) {
  pthread_once(&once, find);
  const int code = weir.barrier_f(*comm);
  if (error != NULL) *error = code;
}

/* For mpif.h and `use mpi`, with the compilers' spellings. */
void mpi_barrier_(const int *comm, int *error) { mpi_barrier_f08_(comm, error); }
void mpi_barrier(const int *comm, int *error) { mpi_barrier_f08_(comm, error); }
void mpi_barrier__(const int *comm, int *error) { mpi_barrier_f08_(comm, error); }
void MPI_BARRIER(const int *comm, int *error) { mpi_barrier_f08_(comm, error); }
