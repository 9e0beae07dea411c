/* A recording: what each member of a team computes between its synchronising calls, in a file that the launcher creates and the
 * program maps. So it survives every way in which the program ends. python/weir/tracing/recording.py reads this layout. */
#ifndef WEIR_PROFILE_RECORDING_H
#define WEIR_PROFILE_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

enum { RECORDING_HEADER_BYTES = 4096, MOST_RECORDED = 4096, LOCKS = 1024 };

/* Reasons why a program cannot be recorded. */
#define WEIR_REFUSALS(REFUSAL)                                                                                               \
  REFUSAL(NESTED, "it nests teams of several threads (OMP_MAX_ACTIVE_LEVELS=1 lets inner regions have one)")                 \
  REFUSAL(SIZES, "its teams have different sizes (--threads N or OMP_DYNAMIC=false may give them one)")                      \
  REFUSAL(TOO_LARGE, "its teams have more than 4096 threads (--threads N makes them smaller)")                               \
  REFUSAL(TASKS, "it has tasks, whose computing belongs to no member")                                                       \
  REFUSAL(ORDER, "it has ordered loops, whose iterations wait for each other")                                               \
  REFUSAL(CANCELLED, "it cancels a region, whose members then pass different barriers")                                      \
  REFUSAL(OLD, "it was built by GCC before 4.9 (build it by a newer one)")                                                   \
  REFUSAL(THREADS, "several of its threads begin regions")                                                                   \
  REFUSAL(PROCESSES, "several of its processes execute regions (record one of them: weir trace within its script)")          \
  REFUSAL(MANY_LOCKS, "it has more than 1024 locks and named critical sections")                                             \
  REFUSAL(RUNTIME, "its runtime reports through OMPT (record it on GCC's, libgomp)")

enum refusal {
#define WEIR_REFUSAL(symbol, words) REFUSED_##symbol,
  WEIR_REFUSALS(WEIR_REFUSAL)
#undef WEIR_REFUSAL
};

/* The event that ends a piece of computing. LAST: the end of the program. */
enum ends { AT_BARRIER, AT_LOCK, AT_UNLOCK, LAST };

struct recording_header {
  char magic[8];       /* "WEIRTRAC", written by the launcher, as the next four are */
  uint32_t room;       /* chunks for which the file has room */
  uint32_t unused;
  uint64_t skipped;    /* barriers of each member that are not recorded, */
  uint64_t most;       /* and how many are, after these */
  uint32_t taken;      /* chunks; if more than there are, the rest was not recorded */
  uint32_t members;    /* of every team; 0: none has been seen */
  uint32_t refused;    /* by bits, as enum refusal has them */
  uint32_t process;    /* that is recorded */
  uint32_t reading_ns; /* what it takes to read the clock, which each piece of computing holds once */
  uint32_t cut;        /* the program went on after the last barrier to be recorded */
  uint32_t sizes[2];   /* of teams, where they differ */
  char refusals[RECORDING_HEADER_BYTES - 64]; /* in words, each with a null after it */
};

/* Of one member; its chunks are in order. */
struct chunk {
  uint32_t member, used;
  uint64_t events[8191]; /* nanoseconds << 12 | enum ends << 10 | lock */
};

bool weir_recording(void);
void weir_refuse(enum refusal);
/* Whether the calling thread may begin regions: the first that does. */
bool weir_owns(void);
/* May a team have this size? All teams must have the size of the first one. */
bool weir_fits(int size);
/* Records that a member has computed for this time, and what it does then. Each thread has a member of its own. */
void weir_note(unsigned member, enum ends what, unsigned lock, uint64_t ns);
/* The lock's number. */
unsigned weir_lock(const void *address);
/* How often its holder holds a lock that can be taken repeatedly. */
int *weir_depth(unsigned lock);
/* This thread's processor time when it last left a synchronising call. */
uint64_t *weir_since(void);
uint64_t weir_clock(void);

#endif
