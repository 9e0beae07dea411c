/* fork: the child has none of its parent's workers, and opens regions nevertheless. */
#include "check.h"
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

static int region(void) {
  int members = 0, sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
    add(&members, 1);
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 10; ++i) sum += i;
#pragma omp barrier
  }
  return members == asked() && sum == 45;
}

static void child_opens_regions(int depth) {
  pid_t child = fork();
  if (child == 0) {
    int good = 1;
    for (int i = 0; i < 5; ++i) good &= region();
    if (depth > 0) child_opens_regions(depth - 1);
    /* With exit as with _exit: neither waits for workers that are not there. */
    if (depth % 2) _exit(!good || wrongs);
    exit(!good || wrongs);
  }
  CHECK(child > 0);
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void) {
  child_opens_regions(0); /* before the parent has used it */
  CHECK(region());
  for (int i = 0; i < 3; ++i) child_opens_regions(2);
  CHECK(region());
  return verdict();
}
