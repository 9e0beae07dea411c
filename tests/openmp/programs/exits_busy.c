/* exit while another thread begins regions: that thread continues until the process has ended. */
#define _GNU_SOURCE
#include "check.h"
#include <omp.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static void *region(void *unused) {
  int members = 0;
#pragma omp parallel
  add(&members, 1);
  if (members != asked()) _exit(1);
  return unused;
}

static void *regions(void *unused) {
  for (;;) region(unused);
}

/* Each thread begins its first region, so the runtime allocates a team's memory anew. */
static void *threads_with_regions(void *unused) {
  for (;;) {
    pthread_t brief;
    if (pthread_create(&brief, NULL, region, unused) != 0) _exit(1);
    pthread_join(brief, NULL);
  }
}

/* The output is written last, and slowly; meanwhile memory that was freed before is reused. */
static ssize_t slowly(void *unused, const char *text, size_t length) {
  (void)unused, (void)text;
  for (int i = 0; i < 50; ++i) {
    int *volatile again[40];
    for (int k = 0; k < 40; ++k) *(again[k] = malloc(sizeof(int))) = 70;
    usleep(1000);
    for (int k = 0; k < 40; ++k) free(again[k]);
  }
  return (ssize_t)length;
}

static void ends_busy(void *with(void *)) {
  pthread_t other;
  if (pthread_create(&other, NULL, with, NULL) != 0) _exit(1);
  usleep(20000);
  FILE *last = fopencookie(NULL, "w", (cookie_io_functions_t){.write = slowly});
  fputs("text", last);
  exit(17);
}

int main(void) {
  for (int i = 0; i < 4; ++i) {
    pid_t child = fork();
    if (child == 0) {
      alarm(200);
      ends_busy(i % 2 ? threads_with_regions : regions);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 17);
  }
  return verdict();
}
