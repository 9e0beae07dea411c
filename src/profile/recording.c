#define _GNU_SOURCE
#include "recording.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../system/environment.h"

static struct recording_header *header; /* null: no launcher has asked for a recording */
static struct chunk *chunks;

/* One for each member. Members follow each other from region to region, which the runtime orders. */
static struct stream {
  struct chunk *at;
  uint64_t barriers; /* passed */
} __attribute__((aligned(128))) streams[MOST_RECORDED];

static struct lock {
  const void *address;
  int depth;
} locks[LOCKS];

#define OF_A_THREAD static _Thread_local __attribute__((tls_model("initial-exec")))
OF_A_THREAD uint64_t since;
OF_A_THREAD bool owns;
static int owned; /* by some thread of this process */

static const char refusals[] =
#define WEIR_REFUSAL(symbol, words) words "\0"
    WEIR_REFUSALS(WEIR_REFUSAL)
#undef WEIR_REFUSAL
    ;
_Static_assert(sizeof refusals <= sizeof((struct recording_header *)0)->refusals, "they have no room");
_Static_assert(sizeof(struct recording_header) <= RECORDING_HEADER_BYTES, "chunks follow");

uint64_t *weir_since(void) { return &since; }
int *weir_depth(unsigned lock) { return &locks[lock].depth; }

uint64_t weir_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint32_t least_reading(void) {
  uint64_t least = 100000;
  for (int i = 0; i < 100; ++i) {
    const uint64_t first = weir_clock(), took = weir_clock() - first;
    if (took < least) least = took;
  }
  return (uint32_t)least;
}

/* A forked child is another process: it has no part in the recording until it begins a region, which is refused. */
static void forget(void) { owns = false, owned = 0; }

__attribute__((constructor)) static void open_recording(void) {
  const char *path = weir_value_of(WEIR_TRACE_FILE);
  if (path == NULL) return;
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  struct stat about;
  if (fstat(file, &about) == 0 && about.st_size > RECORDING_HEADER_BYTES) {
    void *at = mmap(NULL, (size_t)about.st_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    struct recording_header *found = at;
    if (at != MAP_FAILED && memcmp(found->magic, "WEIRTRAC", 8) == 0 &&
        (size_t)about.st_size >= RECORDING_HEADER_BYTES + (size_t)found->room * sizeof(struct chunk)) {
      memcpy(found->refusals, refusals, sizeof refusals); /* every process writes the same */
      found->reading_ns = least_reading();
      pthread_atfork(NULL, NULL, forget);
      chunks = (struct chunk *)((char *)at + RECORDING_HEADER_BYTES);
      header = found;
      since = weir_clock();
    }
  }
  close(file);
}

/* The computing of the first member after its last region. */
__attribute__((destructor)) static void close_recording(void) {
  if (owns) weir_note(0, LAST, 0, weir_clock() - since);
}

/* All that is shared here is relaxed: each word says something by itself, and the launcher reads after the program has ended. */
bool weir_recording(void) { return header != NULL && __atomic_load_n(&header->refused, __ATOMIC_RELAXED) == 0; }

void weir_refuse(enum refusal why) {
  if (header != NULL) __atomic_fetch_or(&header->refused, 1u << why, __ATOMIC_RELAXED);
}

static bool set_once(uint32_t *word, uint32_t value) {
  uint32_t was = 0;
  return __atomic_compare_exchange_n(word, &was, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) || was == value;
}

bool weir_owns(void) {
  if (owns) return true;
  if (!set_once(&header->process, (uint32_t)getpid())) {
    weir_refuse(REFUSED_PROCESSES);
  } else if (__atomic_exchange_n(&owned, 1, __ATOMIC_RELAXED) != 0) {
    weir_refuse(REFUSED_THREADS);
  } else {
    owns = true;
  }
  return owns;
}

bool weir_fits(int size) {
  if (size > MOST_RECORDED) {
    weir_refuse(REFUSED_TOO_LARGE);
    return false;
  }
  if (set_once(&header->members, (uint32_t)size)) return true;
  header->sizes[0] = header->members, header->sizes[1] = (uint32_t)size;
  weir_refuse(REFUSED_SIZES);
  return false;
}

static struct chunk *next_chunk(unsigned member) {
  const uint32_t number = __atomic_fetch_add(&header->taken, 1, __ATOMIC_RELAXED);
  if (number >= header->room) {
    __atomic_fetch_sub(&header->taken, 1, __ATOMIC_RELAXED); /* so that it never wraps around */
    header->cut = 1;
    return NULL;
  }
  chunks[number].member = member;
  return &chunks[number];
}

void weir_note(unsigned member, enum ends what, unsigned lock, uint64_t ns) {
  if (!weir_recording()) return;
  struct stream *stream = &streams[member];
  const uint64_t passed = stream->barriers;
  if (what == AT_BARRIER) ++stream->barriers;
  if (passed < header->skipped) return;
  if (passed - header->skipped >= header->most) {
    header->cut = 1;
    return;
  }
  const uint32_t room = sizeof stream->at->events / sizeof stream->at->events[0];
  if (stream->at == NULL || stream->at->used == room) stream->at = next_chunk(member);
  if (stream->at == NULL) return;
  stream->at->events[stream->at->used++] = ns << 12 | (uint64_t)what << 10 | lock;
}

unsigned weir_lock(const void *address) {
  unsigned at = (unsigned)(((uintptr_t)address >> 3) * 2654435761u) % LOCKS;
  for (int tries = 0; tries < LOCKS; ++tries, at = (at + 1) % LOCKS) {
    const void *there = __atomic_load_n(&locks[at].address, __ATOMIC_RELAXED);
    if (there == address) return at;
    if (there == NULL &&
        (__atomic_compare_exchange_n(&locks[at].address, &there, address, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
         there == address))
      return at;
  }
  weir_refuse(REFUSED_MANY_LOCKS);
  return 0;
}
