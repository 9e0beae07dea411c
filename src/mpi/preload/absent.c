#include "absent.h"

#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "ask.h"

/* Datatypes, operations and requests are an int or a pointer, as communicators are. */
typedef void *handle;

static struct {
  int (*barrier)(communicator);
  int (*initialized)(int *);
  int (*finalized)(int *);
  int (*test_inter)(communicator, int *);
  int (*size)(communicator, int *);
  int (*create_keyval)(int (*)(communicator, int, void *, void *, void *, int *), int (*)(communicator, int, void *, void *),
                       int *, void *);
  int (*get_attr)(communicator, int, void *, int *);
  int (*set_attr)(communicator, int, void *);
  /* MPICH's is nonblocking, Open MPI's blocking, as in the absent library (yielding.hpp). */
  int (*allreduce)(const void *, void *, int, handle, handle, communicator, handle *);
  int (*test)(handle *, int *, void *); /* NULL: it blocks */
  handle uint64, max;
} mpi;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int keyval;
static bool has_keyval;

bool weir_find_absent(void *(*of_mpi)(const char *), bool mpich) {
  const struct {
    const char *name;
    void *to;
  } wanted[] = {
      {"PMPI_Barrier", &mpi.barrier},          {"PMPI_Initialized", &mpi.initialized},
      {"PMPI_Finalized", &mpi.finalized},      {"PMPI_Comm_test_inter", &mpi.test_inter},
      {"PMPI_Comm_size", &mpi.size},           {"PMPI_Comm_create_keyval", &mpi.create_keyval},
      {"PMPI_Comm_get_attr", &mpi.get_attr},   {"PMPI_Comm_set_attr", &mpi.set_attr},
      {mpich ? "PMPI_Iallreduce" : "PMPI_Allreduce", &mpi.allreduce},
      {mpich ? "PMPI_Test" : NULL, &mpi.test}, {mpich ? NULL : WEIR_OPENMPI_UINT64, &mpi.uint64},
      {mpich ? NULL : WEIR_OPENMPI_MAX, &mpi.max},
  };
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; ++i) {
    if (wanted[i].name == NULL) continue;
    void *const found = of_mpi(wanted[i].name);
    if (found == NULL) return false;
    memcpy(wanted[i].to, &found, sizeof found);
  }
  if (mpich) {
    mpi.uint64 = (handle)WEIR_MPICH_UINT64;
    mpi.max = (handle)WEIR_MPICH_MAX;
  }
  return true;
}

static int not_copied(communicator comm, int key, void *extra, void *in, void *out, int *flag) {
  (void)comm, (void)key, (void)extra, (void)in, (void)out;
  *flag = 0;
  return 0;
}

static int deleted(communicator comm, int key, void *attribute, void *extra) {
  (void)comm, (void)key, (void)attribute, (void)extra;
  return 0;
}

/* Returns a code of MPI's. */
static int begin(bool *there) {
  int begun = 0, ended = 0, code = 0;
  mpi.initialized(&begun);
  mpi.finalized(&ended);
  *there = begun && !ended;
  if (!*there) return 0;
  pthread_mutex_lock(&mutex);
  if (!has_keyval) code = mpi.create_keyval(not_copied, deleted, &keyval, NULL);
  has_keyval = code == 0;
  pthread_mutex_unlock(&mutex);
  return code;
}

/* Waits as the other processes do, yielding the processor. */
static int answer(communicator comm) {
  const struct weir_ask own = {.unable = 1};
  struct weir_ask agreed;
  handle request;
  char status[256]; /* longer than any MPI's */
  int done = 0;
  /* The blocking form ignores the last argument. */
  int code = mpi.allreduce(&own, &agreed, sizeof own / sizeof(uint64_t), mpi.uint64, mpi.max, comm, &request);
  for (int looks = 0; mpi.test != NULL && code == 0 && (code = mpi.test(&request, &done, status)) == 0 && !done; ++looks) {
    const struct timespec pause = {0, 50000};
    if (looks < 100)
      sched_yield();
    else
      nanosleep(&pause, NULL);
  }
  return code;
}

int weir_absent_barrier(communicator comm) {
  int there_is = 0, code;
  bool there;
  intptr_t passes = 0;
  if ((code = begin(&there)) != 0) return code;
  if (!there) return mpi.barrier(comm);
  /* For MPI_COMM_NULL this returns MPI's error. */
  if ((code = mpi.get_attr(comm, keyval, &passes, &there_is)) != 0) return code;
  if (!there_is) {
    int inter = 0, size = 0;
    if ((code = mpi.test_inter(comm, &inter)) != 0 || (code = mpi.size(comm, &size)) != 0) return code;
    passes = inter || size == 1 ? weir_first_ask : 0;
  }
  if (there_is && passes == weir_first_ask) return mpi.barrier(comm);
  if (passes < weir_first_ask && ++passes == weir_first_ask && (code = answer(comm)) != 0) return code;
  if ((code = mpi.set_attr(comm, keyval, (void *)passes)) != 0) return code;
  return mpi.barrier(comm);
}
