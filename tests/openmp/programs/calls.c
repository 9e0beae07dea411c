/* Members wait in system calls while others compute: each call lasts as long as it is asked to, and says so; and those that
   compute end, whoever waits. */
#include "check.h"
#include <errno.h>
#include <omp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

enum { MS = 30 }; /* longer than a quantum of user-level members */
/* On other processors the runtime does not see which call it is that a quantum ends. */
#if defined __x86_64__
#define LASTS(which, begun) (call(which) == 0 && now() - (begun) >= MS)
#else
#define LASTS(which, begun) (call(which) == 0 ? now() - (begun) >= MS : errno == EINTR)
#endif
static volatile double sums[64];

static void compute(int me) {
  double sum = 0;
  for (int i = 1; i < 100000; ++i) sum += 1.0 / (i + me);
  sums[me % 64] = sum;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static int call(int which) {
  struct timespec time = {0, MS * 1000000L};
  struct timeval micro = {0, MS * 1000L};
  struct epoll_event found;
  int status = -1, files;
  switch (which) {
  case 0: return nanosleep(&time, NULL);
  case 1: return nanosleep(&time, &time);
  case 2: return usleep(MS * 1000);
  case 3: return poll(NULL, 0, MS);
  case 4: return select(0, NULL, NULL, NULL, &micro);
  case 5: return clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
  default:
    files = epoll_create1(0);
    status = epoll_wait(files, &found, 1, MS);
    close(files);
    return status;
  }
}

/* One member waits; the others compute until it has. */
static void beside_others(int who, int which) {
  int done = 0;
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    if (me == who % omp_get_num_threads()) {
      const double begun = now();
      CHECK(LASTS(which, begun));
      __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
    }
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) compute(me);
  }
}

/* The last to end writes what the one that waits reads. */
static void writes_at_last(int who) {
  int ends[2], ended = 0;
  CHECK(pipe(ends) == 0);
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), others = omp_get_num_threads() - 1;
    char byte = 'b';
    if (others == 0 || me != who % (others + 1)) {
      for (int i = 0; i < 20; ++i) compute(me);
      if (__atomic_add_fetch(&ended, 1, __ATOMIC_SEQ_CST) >= others) CHECK(write(ends[1], &byte, 1) == 1);
    }
    if (me == who % (others + 1)) CHECK(read(ends[0], &byte, 1) == 1 && ended >= others);
  }
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  omp_set_dynamic(0);
  for (int which = 0; which <= 6; ++which) {
    beside_others(0, which);
    beside_others(1 + which, which);
    /* Outside of a region, too. */
    const double begun = now();
    CHECK(LASTS(which, begun));
  }
  for (int who = 0; who < 3; ++who) writes_at_last(who);
  return verdict();
}
