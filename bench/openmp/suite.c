/* One program of the OpenMP suite: a language's constructs as one compiler makes them, on the runtime that is loaded.
 *
 *   suite list                      what it can measure, as JSON
 *   suite work --delay-ns D         computes and meets at barriers until it is killed: a load for others
 *   suite serve --delay-ns D --sample-ms M --limit-ms L --processors P --capacity C
 *       reads commands from standard input, one a line, and answers each with a line of JSON:
 *       sample CONSTRUCT[:PARAMETER]    one measurement; the first of a construct finds its count by a pilot
 *       quit
 *
 * A program (a construct of the group `program`) is executed as it is: its time is its episode, and its reference is 0.
 *
 * OMP_NUM_THREADS sets the number of threads. The program may use P processors, and the time of C processors: C is less than P
 * under a quota, or beside another program (default P). */
#define _GNU_SOURCE
#include "construct.h"
#include "reference.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#define MOST 256

static double wall_ns(void) { return clock_ns(CLOCK_MONOTONIC); }

static struct {
  double delay_ns, sample_ms, limit_ms;
  struct share share;
} asked;
static long lengths[2]; /* of delays, full and brief */
static double delay_ns(enum delay kind) { return kind == BRIEF ? asked.delay_ns / 10 : asked.delay_ns; }

struct chosen {
  const struct construct *what;
  long parameter;
  long count;
  char id[128];
};
static struct chosen in_use[MOST];
static size_t used;

/* Directives are divided among the threads. */
static long least_count(const struct chosen *c) { return c->what->program != NULL ? 1 : weir_threads(); }

/* Negative: a program's result was wrong. */
static double timed_ns(const struct chosen *c, long count) {
  if (c->what->program != NULL) {
    double sum = 0;
    for (long i = 0; i < count; ++i) {
      const double took = c->what->program();
      if (took < 0) return took;
      sum += took;
    }
    return sum;
  }
  const double begin = wall_ns();
  c->what->run(count, c->parameter);
  return wall_ns() - begin;
}

/* Finds the number of directives with which a sample lasts as long as asked. */
static void pilot(struct chosen *c) {
  const long least = least_count(c);
  long count = least;
  double took = timed_ns(c, count);
  while (took >= 0 && took < asked.sample_ms * 0.5e6 && count < 1000000000 && took * 4 < asked.limit_ms * 1e6) {
    count *= took * 16 < asked.sample_ms * 1e6 ? 8 : 2;
    took = timed_ns(c, count);
  }
  const double wanted = (double)count * asked.sample_ms * 1e6 / took;
  c->count = wanted < (double)least ? least : (long)wanted / least * least;
}

static const struct construct *called(const char *name) {
  for (const struct group *const *g = weir_groups; *g != NULL; ++g)
    for (size_t i = 0; i < (*g)->count; ++i)
      if (strcmp((*g)->constructs[i].name, name) == 0) return &(*g)->constructs[i];
  return NULL;
}

static struct chosen *find(const char *id, char *error, size_t room) {
  for (size_t i = 0; i < used; ++i)
    if (strcmp(in_use[i].id, id) == 0) return &in_use[i];
  char name[128];
  long parameter = 0;
  snprintf(name, sizeof name, "%s", id);
  char *colon = strchr(name, ':');
  if (colon != NULL) {
    *colon = 0;
    parameter = strtol(colon + 1, NULL, 10);
  }
  const struct construct *what = called(name);
  if (what == NULL) {
    snprintf(error, room, "no construct is called %s here", name);
  } else if ((what->parameter != NO_PARAMETER) != (parameter > 0) || parameter > 100000) {
    snprintf(error, room, "%s takes %s", name, what->parameter ? "a chunk or size to 100000: NAME:NUMBER" : "no parameter");
  } else if (used == MOST) {
    snprintf(error, room, "more than %d constructs in one process", MOST);
  } else {
    struct chosen *c = &in_use[used++];
    *c = (struct chosen){what, parameter, 0, {0}};
    snprintf(c->id, sizeof c->id, "%s", id);
    weir_set_delay(lengths[what->delay]);
    pilot(c);
    return c;
  }
  return NULL;
}

/* A warm-up, in which the threads wake up and fetch their data. A whole program lasts so long that it needs none. */
static void lead_in(const struct chosen *c) {
  const long least = least_count(c);
  if (c->what->program != NULL)
    weir_start_team();
  else
    timed_ns(c, c->count / 8 > least ? c->count / 8 / least * least : least);
}

static void sample(const char *id) {
  char error[256];
  struct chosen *c = find(id, error, sizeof error);
  if (c == NULL) {
    printf("{\"id\":\"%s\",\"error\":\"%s\"}\n", id, error);
    return;
  }
  weir_set_delay(lengths[c->what->delay]);
  lead_in(c);
  const double cpu_begin = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  const double took = timed_ns(c, c->count);
  const double cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin;
  if (took < 0) {
    printf("{\"id\":\"%s\",\"error\":\"its result is wrong\"}\n", id);
    return;
  }
  const double reference = c->what->program != NULL ? 0 : reference_ns(c->what->work, c->count, asked.share);
  const double each = took / (double)c->count;
  printf(
      "{\"id\":\"%s\",\"inner\":%ld,\"episode_ns\":%.3f,\"reference_ns\":%.3f,\"overhead_ns\":%.3f,\"cpu_ns\":%.3f,\"delay_ns\":%"
      "g,"
      "\"threads\":%d}\n",
      id, c->count, each, reference, each - reference, cpu / (double)c->count, delay_ns(c->what->delay), weir_threads());
}

/* The file of the runtime that this program has met. */
static const char *library(void) {
  Dl_info info;
  return dladdr(weir_runtime(), &info) != 0 && info.dli_fname != NULL ? info.dli_fname : "";
}

static int list(void) {
  printf("{\"language\":\"%s\",\"library\":\"%s\",\"constructs\":[", weir_language, library());
  static const char *const parameters[] = {"", "chunk", "size"};
  const char *comma = "";
  for (const struct group *const *g = weir_groups; *g != NULL; ++g)
    for (size_t i = 0; i < (*g)->count; ++i, comma = ",")
      printf("%s{\"name\":\"%s\",\"group\":\"%s\",\"parameter\":\"%s\"}", comma, (*g)->constructs[i].name, (*g)->name,
             parameters[(*g)->constructs[i].parameter]);
  printf("]}\n");
  return 0;
}

/* A load for others: a program that computes and meets at barriers until it is killed, or its parent ends. If the library has
   no barriers, the load is the first of the programs. */
static void work(void) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const struct construct *const barrier = called("barrier"), *const first = weir_groups[0]->constructs;
  for (;;)
    if (barrier != NULL) barrier->run(1000, 0);
    else first->program();
}

static int usage(FILE *to) {
  fprintf(to, "usage: suite list, suite work --delay-ns D, or\n"
              "       suite serve --delay-ns D --sample-ms M --limit-ms L --processors P --capacity C\n");
  return to == stdout ? 0 : 2;
}

static struct option {
  const char *name;
  double least, most;
  double value; /* what it is unless said */
} options[] = {
    {"--delay-ns", 0, 1e6, 100},
    {"--sample-ms", 0.001, 3600000, 1},
    {"--limit-ms", 0.001, 3600000, 400},
    {"--processors", 1, 65536, 1},
    {"--capacity", 0.001, 65536, 0},
};

/* Whether the words are options, each with a number that it takes; if not, says so. */
static int read_options(int count, char **words) {
  for (int i = 0; i < count; i += 2) {
    struct option *o = NULL;
    for (size_t k = 0; k < sizeof options / sizeof *options; ++k)
      if (strcmp(words[i], options[k].name) == 0) o = &options[k];
    if (o == NULL) return fprintf(stderr, "suite: no such option: %s\n", words[i]), 0;
    const char *text = i + 1 < count ? words[i + 1] : "";
    char *end = NULL;
    const double value = strtod(text, &end);
    /* strtod accepts more than decimal numbers; the comparisons reject values that are not numbers. */
    if (end == text || *end != 0 || strspn(text, "+-.0123456789eE") != strlen(text) || !(value >= o->least && value <= o->most)) {
      fprintf(stderr, "suite: %s takes a number from %.15g to %.15g, not \"%s\"\n", o->name, o->least, o->most, text);
      return 0;
    }
    o->value = value;
  }
  return 1;
}

int main(int count, char **words) {
  if (count == 2 && strcmp(words[1], "list") == 0) return list();
  const int works = count >= 2 && strcmp(words[1], "work") == 0;
  if (count == 2 && strcmp(words[1], "--help") == 0) return usage(stdout);
  if (!works && (count < 2 || strcmp(words[1], "serve") != 0)) return usage(stderr);
  if (!read_options(count - 2, words + 2)) return 2;
  asked.delay_ns = options[0].value;
  asked.sample_ms = options[1].value;
  asked.limit_ms = options[2].value;
  asked.share = (struct share){(long)options[3].value, options[4].value};
  weir_start_team();
  for (int kind = FULL; kind <= BRIEF; ++kind) lengths[kind] = length_of_delay(delay_ns(kind));
  weir_set_delay(lengths[FULL]);
  if (asked.share.capacity == 0) asked.share.capacity = (double)asked.share.processors;
  if (works) work();
  char line[128];
  while (fgets(line, sizeof line, stdin) != NULL) {
    line[strcspn(line, "\r\n")] = 0;
    if (strcmp(line, "quit") == 0) break;
    if (strncmp(line, "sample ", 7) == 0 && strpbrk(line, "\"\\") == NULL) sample(line + 7);
    else printf("{\"error\":\"known are: sample CONSTRUCT[:PARAMETER], quit\"}\n");
    fflush(stdout);
  }
  return 0;
}
