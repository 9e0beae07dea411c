/* starts HOW: OMP_NUM_THREADS threads compute. One of them that may run on one processor only starts a program, again and again
   until the end of the input, and that one says on how many processors it may run. `exec`, `execl`: the process becomes it.
   starts count: is that program. */
#define _GNU_SOURCE
#include <omp.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "until_input_ends.h"

static const char *me, *how;
static char *none[] = {NULL};

static void start(void) {
  char *words[] = {(char *)me, "count", NULL};
  char command[4096];
  snprintf(command, sizeof command, "exec %s count", me);
  pid_t child = 0;
  if (strcmp(how, "posix_spawn") == 0) {
    if (posix_spawn(&child, me, NULL, NULL, words, none) != 0) abort();
  } else if (strcmp(how, "posix_spawnp") == 0) {
    if (posix_spawnp(&child, me, NULL, NULL, words, none) != 0) abort();
  } else if (strcmp(how, "vfork") == 0) {
    child = vfork();
    if (child == 0) {
      execle(me, me, "count", NULL, none);
      _exit(1);
    }
  } else if (strcmp(how, "fork") == 0) {
    child = fork();
    if (child == 0) execve(me, words, none);
  } else if (strcmp(how, "system") == 0) {
    if (system(command) != 0) abort();
  } else if (strcmp(how, "popen") == 0) {
    FILE *said = popen(command, "r");
    const int c = fgetc(said);
    pclose(said);
    printf("%c\n", c);
    fflush(stdout);
  } else if (strcmp(how, "exec") == 0) {
    execve(me, words, none);
  } else {
    execl(me, me, "count", NULL);
  }
  if (child != 0) waitpid(child, NULL, 0);
}

static void *compute(void *number) {
  while (!atomic_load(&ended)) {
    work();
    if (number == (void *)1 && processors() == 1) start();
  }
  return NULL;
}

int main(int words, char **word) {
  me = word[0];
  how = words > 1 ? word[1] : "";
  if (strcmp(how, "count") == 0) {
    printf("%d\n", processors());
    return 0;
  }
  run_until_input_ends(omp_get_max_threads(), compute);
  return 0;
}
