/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that `weir bench --mine` needs for a barrier of your own, in C or C++ (docs/questions.md).
 *
 * Including this file is not necessary; in C++ it gives the three functions their C names. */
#ifndef WEIR_MINE_H
#define WEIR_MINE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Creates a barrier for this many members (1 or more), for any number of passes; NULL if there is none for this many.
 * One thread calls it, before any member waits. */
void *barrier_create(unsigned members);

/* Returns when all members have called it as often as this one. Members are numbered from 0, and each is one thread.
 * What a member wrote before must be seen by all after. */
void barrier_wait(void *barrier, unsigned member);

/* One thread calls it, when all members have left. */
void barrier_destroy(void *barrier);

#ifdef __cplusplus
}
#endif

#endif
