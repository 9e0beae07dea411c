/* SPDX-License-Identifier: Apache-2.0 */
/* Weir for C: a barrier shaped like pthread_barrier_t, and the numbered barriers by name.
 *
 * Memory: all that a thread did before weir_barrier_wait (or weir_team_barrier_wait) happens before
 * all that any thread of the team does after it. Errors are returned as numbers of <errno.h>. */
#ifndef WEIR_BARRIER_H
#define WEIR_BARRIER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The result of weir_barrier_wait in one thread of each episode; the others get 0. */
#define WEIR_BARRIER_SERIAL_THREAD (-1)

typedef struct weir_barrier {
  struct weir_barrier_core* core;
} weir_barrier_t;

/* Reserved: pass NULL. */
typedef struct weir_barrierattr weir_barrierattr_t;

/* 0; EINVAL for no or too many threads, or an attribute; ENOMEM. Threads may initialise different barriers concurrently. */
int weir_barrier_init(weir_barrier_t* barrier, const weir_barrierattr_t* attributes, unsigned count);
/* 0 or WEIR_BARRIER_SERIAL_THREAD; EINVAL for a barrier that is not initialised. Any thread may call it. */
int weir_barrier_wait(weir_barrier_t* barrier);
/* 0; EBUSY while threads wait for others; EINVAL for a barrier that is not initialised. A thread may
 * destroy the barrier, and free its memory, as soon as its own wait has returned. */
int weir_barrier_destroy(weir_barrier_t* barrier);

/* The fast interface: members are numbered 0 .. members-1, and each number is used by one thread. */
typedef struct weir_team_barrier weir_team_barrier_t;

/* `algorithm`, `waiting`: a name that `weir info` lists; NULL or "auto" for the best here.
 * A barrier by "auto" may change its algorithm while the members run, by short trials.
 * `placement`: the processor that each member is bound to, or NULL if unknown.
 * 0; EINVAL (weir_last_error says what was wrong); ENOMEM. */
int weir_team_barrier_create(weir_team_barrier_t** barrier, unsigned members, const char* algorithm,
                             const char* waiting, const int* placement);
/* 0; EINVAL if there is no such member. At any time one thread uses each number. */
int weir_team_barrier_wait(weir_team_barrier_t* barrier, unsigned member);
/* All members must have returned from their last wait. */
void weir_team_barrier_destroy(weir_team_barrier_t* barrier);

/* Why the last failed call of this thread failed, in words; "" if none failed. Valid until the thread's next call. */
const char* weir_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
