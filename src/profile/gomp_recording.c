/* libgomp's entry points, as GCC calls them: each forwards to the runtime that its caller is bound to, and records what the
 * member has computed until then. A region is entered by way of `live`, where a member knows its number. */
#include "forwarding.h"
#include "recording.h"

enum { OUTSIDE = -1 };
#define OF_A_THREAD static _Thread_local __attribute__((tls_model("initial-exec")))
OF_A_THREAD int member = OUTSIDE;
OF_A_THREAD unsigned alone; /* in so many regions of one thread, whose barriers are none */

static uint64_t computed(void) { return weir_clock() - *weir_since(); }
static void goes_on(void) { *weir_since() = weir_clock(); }

struct region {
  void (*body)(void *);
  void *data;
  const struct runtime *where;
  uint64_t serial; /* nanoseconds that the first member has computed since the region before */
  bool is_recorded;
};

/* Whether the calling thread is a member of a team that can be recorded. */
static bool joins(const struct region *region, int size, int number) {
  if (region->where->active_level() > 1) {
    weir_refuse(REFUSED_NESTED);
    return false;
  }
  return (number != 0 || weir_owns()) && weir_fits(size);
}

/* Each thread of the region executes this. The fork and the join are a barrier each. */
static void live(void *argument) {
  struct region *region = argument;
  const int size = region->where->num_threads(), number = region->where->thread_num();
  if (size <= 1) {
    ++alone;
    region->body(region->data);
    --alone;
    return;
  }
  if (!joins(region, size, number)) {
    region->body(region->data);
    return;
  }
  const unsigned outer = alone;
  alone = 0;
  member = number;
  if (number == 0) region->is_recorded = true;
  weir_note((unsigned)number, AT_BARRIER, 0, number == 0 ? region->serial : 0);
  goes_on();
  region->body(region->data);
  weir_note((unsigned)number, AT_BARRIER, 0, computed());
  member = OUTSIDE;
  alone = outer;
}

static struct region begin(const struct runtime *where, word body, word data) {
  struct region region = {(void (*)(void *))body, (void *)data, where, 0, false};
  if (where == NULL) weir_refuse(REFUSED_RUNTIME);
  if (member == OUTSIDE) region.serial = computed();
  return region;
}

static void barrier(void) {
  if (member != OUTSIDE && alone == 0) weir_note((unsigned)member, AT_BARRIER, 0, computed());
}

static void acquire(const void *address) {
  if (member != OUTSIDE) weir_note((unsigned)member, AT_LOCK, weir_lock(address), computed());
}

static void release(const void *address) {
  if (member != OUTSIDE) weir_note((unsigned)member, AT_UNLOCK, weir_lock(address), computed());
}

/* A lock that was tried, or that may be held already, is recorded when it is known to have been acquired. */
static void acquired(const void *address, uint64_t after, bool repeatedly) {
  if (member == OUTSIDE) return;
  const unsigned lock = weir_lock(address);
  if (!repeatedly || (*weir_depth(lock))++ == 0) weir_note((unsigned)member, AT_LOCK, lock, after);
  goes_on();
}

static void release_once(const void *address) {
  if (member == OUTSIDE) return;
  const unsigned lock = weir_lock(address);
  if (--*weir_depth(lock) == 0) weir_note((unsigned)member, AT_UNLOCK, lock, computed());
}

static void met(void) {
  if (member != OUTSIDE && alone == 0) goes_on();
}

/* The addresses of the runtime's own locks. */
static const char unnamed, atomics;
#define OF_UNNAMED &unnamed
#define OF_ATOMICS &atomics

#define IN_A_TEAM(what) \
  if (member != OUTSIDE) what
#define REFUSED(name, why) FORWARD(name, weir_refuse(REFUSED_##why), )
#define UNTIL_NOW(name, what) FORWARD_CHANGED(name, const uint64_t until_now = computed(), , a, b, what)

#define ON_REGION(name)                                                                             \
  FORWARD_CHANGED(name, const bool changed = weir_recording() && where != NULL;                     \
                  struct region region = begin(where, a, b), , changed ? (word)live : a, \
                  changed ? (word)&region : b, if (region.is_recorded) goes_on())
#define ON_REGION_OF_TASKS(name) REFUSED(name, TASKS)
#define ON_OLD_REGION(name) REFUSED(name, OLD)
#define ON_CHUNK(name, taken)
#define ON_END(name, event) FORWARD(name, barrier(), met())
#define ON_END_CANCEL(name, event) ON_BARRIER_CANCEL(name)
#define ON_END_NOWAIT(name, event)
#define ON_SINGLE(name)
/* Threads that get a value have met the executor, which goes on computing. */
#define ON_COPY(name)                                                                                                 \
  UNTIL_NOW(name, if (result != 0 && member != OUTSIDE && alone == 0) {                                               \
    weir_note((unsigned)member, AT_BARRIER, 0, until_now);                                                            \
    goes_on();                                                                                                        \
  })
#define ON_COPY_END(name) FORWARD(name, barrier(), met())
#define ON_BARRIER(name) FORWARD(name, barrier(), met())
#define ON_BARRIER_CANCEL(name) FORWARD(name, barrier(), met(); if (said(result)) weir_refuse(REFUSED_CANCELLED))
#define ON_ACQUIRE(name, event, lock) FORWARD(name, acquire((const void *)(lock)), IN_A_TEAM(goes_on()))
#define ON_ACQUIRE_NEST(name) UNTIL_NOW(name, acquired((const void *)a, until_now, true))
#define ON_TRY(name) UNTIL_NOW(name, if ((int)result != 0) acquired((const void *)a, until_now, false))
#define ON_TRY_NEST(name) UNTIL_NOW(name, if ((int)result != 0) acquired((const void *)a, until_now, true))
#define ON_RELEASE(name, lock) FORWARD(name, release((const void *)(lock)), IN_A_TEAM(goes_on()))
#define ON_RELEASE_NEST(name) FORWARD(name, release_once((const void *)a), IN_A_TEAM(goes_on()))
#define ON_ORDER(name) REFUSED(name, ORDER)
#define ON_TASK(name, event) REFUSED(name, TASKS)
#define ON_TASK_REDUCTION(name) REFUSED(name, TASKS)
#include "entry_points.h"
