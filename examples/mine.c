/* A barrier of your own, measured beside all others: weir bench --quick --mine examples/mine.c
 *
 * A counter shows which member is the last to arrive; this member changes a number to release the others. */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

struct barrier {
  unsigned members;
  _Alignas(64) atomic_uint arrived;
  _Alignas(64) atomic_uint episode;
};

void *barrier_create(unsigned members) {
  struct barrier *b = aligned_alloc(64, sizeof *b);
  if (b == NULL) return NULL;
  b->members = members;
  atomic_init(&b->arrived, 0);
  atomic_init(&b->episode, 0);
  return b;
}

void barrier_wait(void *barrier, unsigned member) {
  (void)member; /* all members are alike */
  struct barrier *b = barrier;
  /* Read before arriving: after the last arrival the number may change at any moment. Relaxed: the counter orders it. */
  const unsigned now = atomic_load_explicit(&b->episode, memory_order_relaxed);
  /* Acquire and release: the last member has seen everything that the others wrote, and passes it on by its release. */
  if (atomic_fetch_add_explicit(&b->arrived, 1, memory_order_acq_rel) + 1 == b->members) {
    atomic_store_explicit(&b->arrived, 0, memory_order_relaxed); /* published by the release below */
    atomic_store_explicit(&b->episode, now + 1, memory_order_release);
    return;
  }
  for (unsigned looks = 1; atomic_load_explicit(&b->episode, memory_order_acquire) == now; ++looks)
    if (looks % 1024 == 0) sched_yield();
}

void barrier_destroy(void *barrier) { free(barrier); }
