/* The child that a member forks ends as any process whose first thread calls pthread_exit. In C, since in C++ nothing may leave
   a region by unwinding. */
#include "../../openmp/programs/check.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int destroyed;
static void destroy(void *value) { *(int *)value = 1; }

/* -2 if it does not end within six seconds. */
static int status_of(pid_t child) {
  const struct timespec shortly = {0, 5000000};
  int status = -1;
  for (int i = 0; i < 1200; ++i) {
    if (waitpid(child, &status, WNOHANG) == child) return status;
    nanosleep(&shortly, NULL);
  }
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  return -2;
}

static void *later(void *given) {
  const struct timespec shortly = {0, 20000000};
  nanosleep(&shortly, NULL);
  return given;
}

/* Outside a region, so the child may open one. What it makes for that ends with its threads. */
static void a_child_with_a_region(void) {
  const pid_t child = fork();
  if (child == 0) {
    int there = 0;
#pragma omp parallel num_threads(asked()) reduction(+ : there)
    there += 1;
    if (there != asked()) _exit(3);
    pthread_exit(NULL);
  }
  const int status = status_of(child);
  if (status != 0) fprintf(stderr, "a child with a region: status %d\n", status);
  CHECK(status == 0);
}

int main(void) {
#pragma omp parallel num_threads(asked())
  for (int round = 0; round < 3; ++round) {
#pragma omp barrier
    const pid_t child = fork();
    if (child == 0) {
      pthread_key_t key;
      pthread_t thread;
      if (round > 0) {
        pthread_key_create(&key, destroy);
        pthread_setspecific(key, &destroyed);
      }
      if (round > 1) pthread_create(&thread, NULL, later, NULL);
      pthread_exit(NULL);
    }
    const int status = status_of(child);
    if (status != 0) fprintf(stderr, "round %d: status %d\n", round, status);
    CHECK(status == 0);
  }
  a_child_with_a_region();
  return verdict();
}
