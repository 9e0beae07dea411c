/* For programs that need several environments: each part of such a program is a process with its own environment. */
#ifndef WEIR_TESTS_OPENMP_PARTS_H
#define WEIR_TESTS_OPENMP_PARTS_H

#include "check.h"
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_SETTINGS = 6 };
struct part {
  const char *name;
  void (*body)(void);
  const char *settings[MOST_SETTINGS]; /* NAME=value */
};

/* Without an argument, starts a process for each part, with the part's name as its argument. Returns main's return value. */
static inline int run_parts(int argc, char **argv, const struct part *parts, int count) {
  for (int p = 0; p < count; ++p) {
    if (argc > 1) {
      if (strcmp(argv[1], parts[p].name) != 0) continue;
      parts[p].body();
      return wrongs != 0;
    }
    pid_t child = fork();
    if (child == 0) {
      for (int s = 0; s < MOST_SETTINGS && parts[p].settings[s] != NULL; ++s) putenv((char *)parts[p].settings[s]);
      execl("/proc/self/exe", argv[0], parts[p].name, (char *)NULL);
      _exit(127);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    if (status != 0) wrong(parts[p].name, p, "this part ends well");
  }
  return verdict();
}

#endif
