/* A program in which, after its first regions, no thread gets memory but those of its teams. Says "starved" once others have
   asked for some three times in vain. The end of the input ends it. */
#include <poll.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

enum { first_regions = 100, enough = 3 };

extern void *__libc_malloc(size_t);
static atomic_int starves, in_vain;
static _Thread_local int is_fed __attribute__((tls_model("initial-exec")));

void *malloc(size_t bytes) {
  if (!atomic_load(&starves) || is_fed) return __libc_malloc(bytes);
  atomic_fetch_add(&in_vain, 1);
  return NULL;
}

static int has_ended(void) {
  struct pollfd in = {0, POLLIN, 0};
  char line[64];
  return poll(&in, 1, 0) > 0 && read(0, line, sizeof line) <= 0;
}

int main(void) {
  int told = 0;
  for (int region = 0; !has_ended(); ++region) {
#pragma omp parallel num_threads(4)
    is_fed = 1;
    usleep(100);
    if (region == first_regions) atomic_store(&starves, 1);
    if (told || atomic_load(&in_vain) < enough) continue;
    puts("starved");
    fflush(stdout);
    told = 1;
  }
  return 0;
}
