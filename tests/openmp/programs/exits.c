/* exit: the program ends at once and with its own status, whether its workers sleep, spin or execute a region. */
#include "check.h"
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void region(void) {
  int members = 0;
#pragma omp parallel
  add(&members, 1);
  CHECK(members == asked());
}

static void at_exit(void) { region(); }
static void at_last(void) {
  region();
  _exit(wrongs ? 1 : 17);
}

static void ends(int how) {
  region();
  switch (how) {
    case 0: exit(17);
    case 1: usleep(50000); exit(17); /* the workers sleep by now */
    case 2: _exit(17);
    case 3: atexit(at_exit); exit(17); /* handlers may still begin regions */
    case 4:
#pragma omp parallel
#pragma omp master
      _exit(17);
      break;
    case 5: raise(SIGKILL);
    case 6: atexit(at_last); pthread_exit(NULL); /* the program ends with its last thread, so no worker may remain */
    default: return;
  }
}

int main(void) {
  for (int how = 0; how < 7 - WATCHED; ++how) { /* ThreadSanitizer does not survive the end of the first thread */
    pid_t child = fork();
    if (child == 0) {
      alarm(200);
      ends(how);
      _exit(1);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    if (how == 5)
      CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    else
      CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 17);
  }
  region();
  int ended = verdict();
  fflush(stdout);
  exit(ended); /* not a return: exit while workers exist */
}
