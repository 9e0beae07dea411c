#define _GNU_SOURCE
#include "counts.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../system/environment.h"

static struct header *table; /* null: no launcher has asked for counts */

/* Rows of the calling thread; it rarely uses more than one runtime. */
enum { RUNTIMES_OF_A_THREAD = 4 };
struct known_row {
  const struct runtime *runtime;
  struct row *row;
};
static _Thread_local __attribute__((tls_model("initial-exec"))) struct known_row known_rows[RUNTIMES_OF_A_THREAD];

static const char names[] =
#define WEIR_EVENT(symbol, name) name "\0"
    WEIR_EVENTS(WEIR_EVENT)
#undef WEIR_EVENT
    ;

/* The only thread of a forked child has a copy of its parent's rows, and both would write there. */
static void forget_rows(void) { memset(known_rows, 0, sizeof known_rows); }

__attribute__((constructor)) static void open_table(void) {
  const char *path = weir_value_of(WEIR_PROFILE_FILE);
  if (path == NULL) return;
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  struct stat about;
  if (fstat(file, &about) == 0 && about.st_size > HEADER_BYTES) {
    void *at = mmap(NULL, (size_t)about.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    struct header *found = at;
    if (at != MAP_FAILED && memcmp(found->magic, "WEIRPROF", 8) == 0 &&
        (size_t)about.st_size >= HEADER_BYTES + (size_t)found->rows * ROW_BYTES) {
      memcpy(found->names, names, sizeof names); /* every process writes the same */
      pthread_atfork(NULL, NULL, forget_rows);
      table = found;
    }
  }
  close(file);
}

static struct row *claim(const struct runtime *where) {
  for (int i = 0; i < RUNTIMES_OF_A_THREAD; ++i) {
    if (known_rows[i].runtime == where) return known_rows[i].row;
    if (known_rows[i].runtime != NULL) continue;
    /* Relaxed: the number alone claims the row, and the launcher reads after all processes have ended. */
    const uint32_t number = __atomic_fetch_add(&table->taken, 1, __ATOMIC_RELAXED);
    struct row *row = NULL;
    if (number < table->rows) {
      row = (struct row *)((char *)table + HEADER_BYTES) + number;
      row->process = (uint32_t)getpid();
      memcpy(row->runtime, where->path, PATH_BYTES);
    }
    known_rows[i] = (struct known_row){where, row};
    return row;
  }
  return NULL;
}

static void add(const struct runtime *where, enum event what, int team_size, uint64_t amount) {
  if (table == NULL) return;
  struct row *row = known_rows[0].runtime == where ? known_rows[0].row : claim(where);
  if (row == NULL) return;
  const uint32_t size = team_size < 1 ? 1 : team_size > 0xffffff ? 0xffffff : (uint32_t)team_size;
  const uint32_t key = ((uint32_t)what + 1) << 24 | size;
  uint32_t at = (size * (EVENTS + 6) + (uint32_t)what) % ENTRIES;
  for (int tries = 0; tries < ENTRIES; ++tries, at = (at + 1) % ENTRIES) {
    struct entry *e = &row->entries[at];
    if (e->key == 0) e->key = key;
    if (e->key == key) {
      e->count += amount;
      return;
    }
  }
  __atomic_fetch_add(&table->full, 1, __ATOMIC_RELAXED); /* relaxed: the launcher reads it after all processes have ended */
}

void weir_count(const struct runtime *where, enum event what, int team_size) { add(where, what, team_size, 1); }
void weir_uncount(const struct runtime *where, enum event what, int team_size) { add(where, what, team_size, (uint64_t)-1); }
