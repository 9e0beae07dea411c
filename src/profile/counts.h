/* The counts: a table in a file that the launcher creates and every process of the program maps. So they survive every way in
 * which a process ends, and include what it forks and executes. python/weir/profile/counting.py reads this layout. */
#ifndef WEIR_PROFILE_COUNTS_H
#define WEIR_PROFILE_COUNTS_H

#include <stdint.h>

#include "events.h"

enum { HEADER_BYTES = 4096, ROW_BYTES = 4096, PATH_BYTES = 248, ENTRIES = 240 };

struct entry {
  uint32_t key; /* 0: free; else (event + 1) << 24 | team size */
  uint32_t unused;
  uint64_t count;
};

/* One thread's counts on one runtime. Only that thread writes here. */
struct row {
  uint32_t process, unused;
  char runtime[PATH_BYTES]; /* the library's path */
  struct entry entries[ENTRIES];
};

struct header {
  char magic[8];   /* "WEIRPROF", written by the launcher */
  uint32_t rows;   /* for which the file has room; written by the launcher */
  uint32_t taken;  /* rows claimed; if more than there are, some threads were not counted */
  uint32_t full;   /* directives that were not counted because their row was full */
  char names[HEADER_BYTES - 20]; /* of the events, each with a null after it */
};

/* A runtime whose directives are counted. The address of `path` identifies it. */
struct runtime {
  char path[PATH_BYTES];
  int (*thread_num)(void);
  int (*num_threads)(void);
  int (*max_threads)(void);
  int (*active_level)(void);
  int (*max_active_levels)(void);
  int (*thread_limit)(void);
};

/* Adds one, for the calling thread. Does nothing without a launcher's table. Never allocates, locks or fails. */
void weir_count(const struct runtime *where, enum event what, int team_size);
/* Removes a count that the same thread has added, if its kind turns out later to be another. */
void weir_uncount(const struct runtime *where, enum event what, int team_size);

#endif
