// An allocator in place of the C library's: locks of POSIX threads, under which it must not be called again, and where whoever
// waits must not switch to another. Memory is not used again.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../openmp/driving_thread.h"

enum { alignment = 16, under_lock = 10000, tables = 2, most_parts = 1 << 16, of_each_part = 16 };
static const size_t whole = (size_t)8 << 30;

static char* next;
static __thread __attribute__((tls_model("initial-exec"))) int is_inside;

static void fail(const char* why) {
  if (write(2, why, strlen(why)) < 0) _exit(2);
  _exit(1);
}
static void compute(void) {
  for (volatile int i = 0; i < under_lock; ++i) {
  }
}

#if defined(BY_once)
static void let_others_come(void) {
  for (int i = 0; i < 20; ++i) sched_yield();
}
#endif

#if defined(BY_semaphores)
static sem_t locks[tables];
static void make(void) {
  for (int i = 0; i < tables; ++i) sem_init(&locks[i], 0, 1);
}
static void lock(int which) {
  while (sem_wait(&locks[which]) != 0) {
  }
}
static void unlock(int which) { sem_post(&locks[which]); }
#elif defined(BY_rwlocks)
static pthread_rwlock_t locks[tables] = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};
static void make(void) {}
static void lock(int which) { pthread_rwlock_wrlock(&locks[which]); }
static void unlock(int which) { pthread_rwlock_unlock(&locks[which]); }
#else
static pthread_mutex_t locks[tables] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static void make(void) {}
static void lock(int which) { pthread_mutex_lock(&locks[which]); }
static void unlock(int which) { pthread_mutex_unlock(&locks[which]); }
#endif

// What a part of the memory needs is made by the first that uses it, while others come.
static void prepare_part(void) {
#if defined(BY_once)
  static pthread_once_t parts[most_parts];
  static int used;
  pthread_once(&parts[__atomic_fetch_add(&used, 1, __ATOMIC_RELAXED) / of_each_part % most_parts], let_others_come);
#endif
}

// Is a thread inside that this kernel thread drives?
static char drives_inside[1 << 16];

static long enter(void) {
  const long driving = driving_thread();
  if (is_inside) fail("the allocator is called by a thread that is in it\n");
  is_inside = 1;
  if (__atomic_exchange_n(&drives_inside[driving % (long)sizeof drives_inside], 1, __ATOMIC_RELAXED))
    fail("a thread has switched inside\n");
  return driving;
}
static void leave(long driving) {
  if (driving_thread() != driving) fail("a thread has become a member inside, or has been one\n");
  __atomic_store_n(&drives_inside[driving % (long)sizeof drives_inside], 0, __ATOMIC_RELAXED);
  is_inside = 0;
}

static void* take(size_t boundary, size_t bytes) {
  const long me = enter();
  if (next == NULL) {  // the process has one thread
    make();
    next = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  prepare_part();
  // As in jemalloc: who waits for the second one holds the first.
  lock(0);
  lock(1);
  compute();
  char* const from = (char*)(((uintptr_t)next + alignment + boundary - 1) / boundary * boundary);
  next = from + bytes;
  unlock(0);
  compute();
  unlock(1);
  leave(me);
  ((size_t*)(void*)from)[-1] = bytes;
  return from;
}

void* malloc(size_t bytes) { return take(alignment, bytes); }
void* calloc(size_t n, size_t bytes) { return take(alignment, n * bytes); }
void* memalign(size_t boundary, size_t bytes) { return take(boundary < alignment ? alignment : boundary, bytes); }
void* aligned_alloc(size_t boundary, size_t bytes) { return memalign(boundary, bytes); }
int posix_memalign(void** to, size_t boundary, size_t bytes) { return *to = memalign(boundary, bytes), 0; }
void free(void* of) { (void)of; }
void* realloc(void* of, size_t bytes) {
  void* const to = malloc(bytes);
  if (of != NULL) {
    const size_t before = ((size_t*)of)[-1];
    memcpy(to, of, before < bytes ? before : bytes);
  }
  return to;
}

// Some of its functions wait until all threads are there.
static pthread_barrier_t all_are_there;
void meet_in_allocator_as(unsigned threads) { pthread_barrier_init(&all_are_there, NULL, threads); }
void meet_in_allocator(void) {
  const long me = enter();
  pthread_barrier_wait(&all_are_there);
  leave(me);
}
