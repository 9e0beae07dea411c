/* The affinity format: its fields and routines, and when OMP_DISPLAY_AFFINITY shows it. */
#define _GNU_SOURCE
#include "parts.h"
#include <omp.h>
#include <sched.h>

static void captures(const char *format, const char *expected) {
  char text[256];
  size_t length = omp_capture_affinity(text, sizeof text, format);
  if (length == strlen(expected) && strcmp(text, expected) == 0) return;
  fprintf(stderr, "%s gives %s, not %s\n", format, text, expected);
  wrong(__FILE__, __LINE__, "the format's text");
}

static void fields(void) {
  char expected[256], name[65] = "";
  gethostname(name, sizeof name - 1);
  captures("%n %N %L %a %t %T", "0 1 0 -1 0 1");
  captures("%{thread_num} %{num_threads} %{nesting_level} %{ancestor_tnum} %{team_num} %{num_teams}", "0 1 0 -1 0 1");
  sprintf(expected, "%s %d, %s %d", name, getpid(), name, getpid());
  captures("%H %P, %{host} %{process_id}", expected);
  captures("[%5n] [%.5n] [%0.5n] [%.6{num_threads}]", "[0    ] [    0] [00000] [     1]");
  captures("100%% %%n", "100% %n");
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(3)
  {
    char own[64];
    sprintf(own, "1: %d of 3, 0", omp_get_thread_num());
    captures("%L: %n of %N, %a", own);
    sprintf(own, "2: 0 of 1, %d", omp_get_thread_num());
#pragma omp parallel num_threads(1)
    captures("%L: %n of %N, %a", own);
  }
}

static char one_place[32];
static void find_place(void) {
  cpu_set_t mask;
  sched_getaffinity(0, sizeof mask, &mask);
  for (int p = 0; p < CPU_SETSIZE; ++p)
    if (CPU_ISSET(p, &mask)) sprintf(one_place, "OMP_PLACES={%d}", p);
}

static void bound(void) {
  char expected[32];
  sprintf(expected, "%d, %d", atoi(strchr(one_place, '{') + 1), atoi(strchr(one_place, '{') + 1));
#pragma omp parallel num_threads(2)
  captures("%A, %{thread_affinity}", expected);
}

static void lengths(void) {
  char text[32];
  CHECK(omp_get_affinity_format(text, sizeof text) == 8 && strcmp(text, "first %n") == 0); /* from the environment */
  memset(text, '#', sizeof text);
  CHECK(omp_get_affinity_format(text, 4) == 8 && strcmp(text, "fir") == 0 && text[4] == '#');
  CHECK(omp_get_affinity_format(text, 0) == 8 && text[0] == 'f');
  memset(text, '#', sizeof text);
  CHECK(omp_capture_affinity(text, 6, "%N%N%Nabcdef") == 9 && strcmp(text, "111ab") == 0 && text[6] == '#');
  CHECK(omp_capture_affinity(text, 1, "abc") == 3 && text[0] == '\0' && text[1] == '1');
  CHECK(omp_capture_affinity(NULL, 0, "abcdef") == 6);
  captures("", "first 0");
  captures(NULL, "first 0");
  omp_set_affinity_format("then %N");
  captures("", "then 1");
  CHECK(omp_get_affinity_format(text, sizeof text) == 7);
}

/* Runtimes differ in which output they write to, so both go to one file here. */
static int outputs;
static FILE *file;
static void collect(void) {
  file = tmpfile();
  fflush(stdout);
  outputs = dup(2);
  dup2(fileno(file), 1);
  dup2(fileno(file), 2);
}

/* Compares the lines written since the last call, in any order, with the expected lines `a|b|c`. */
static void came(const char *expected) {
  static long seen;
  char line[256];
  int lines = 0, wanted = *expected != '\0';
  for (const char *at = expected; *at != '\0'; ++at) wanted += *at == '|';
  fflush(stdout);
  fseek(file, seen, SEEK_SET);
  while (fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    if (strstr(expected, line) == NULL) dprintf(outputs, "not expected: %s\n", line);
    ++lines;
  }
  seen = ftell(file);
  if (lines == wanted) return;
  dprintf(outputs, "%d lines, and not %d: %s\n", lines, wanted, expected);
  ++wrongs;
}

static void region(int size) {
#pragma omp parallel num_threads(size)
  CHECK(omp_get_num_threads() == size);
}

static void shown(void) {
  collect();
  omp_display_affinity("once %N");
  came("once 1");
  region(2);
  came("1.0 of 2|1.1 of 2");
  region(2);
  came("");
  region(3);
  came("1.0 of 3|1.1 of 3|1.2 of 3");
  region(3);
  came("");
  region(2);
  came("1.0 of 2|1.1 of 2");
}

/* Where the level has changed, a team of one, too. */
static void shown_by_level(void) {
  collect();
#pragma omp parallel num_threads(1)
  {
    came("1.0 of 1");
    region(1);
    came("2.0 of 1");
    region(1);
    came("");
  }
  region(1);
  came("1.0 of 1");
}

static void not_shown(void) {
  collect();
  region(2);
  region(3);
  came("");
}

int main(int argc, char **argv) {
  find_place();
  const struct part parts[] = {
      {"fields", fields, {"OMP_PROC_BIND=false"}},
      {"bound", bound, {"OMP_PROC_BIND=close", one_place}},
      {"lengths", lengths, {"OMP_AFFINITY_FORMAT=first %n"}},
      {"shown", shown, {"OMP_DISPLAY_AFFINITY=true", "OMP_AFFINITY_FORMAT=%L.%n of %N"}},
      {"shown by level", shown_by_level, {"OMP_DISPLAY_AFFINITY=true", "OMP_AFFINITY_FORMAT=%L.%n of %N"}},
      {"not shown", not_shown, {"OMP_AFFINITY_FORMAT=%L.%n of %N"}},
  };
  return run_parts(argc, argv, parts, sizeof parts / sizeof *parts);
}
