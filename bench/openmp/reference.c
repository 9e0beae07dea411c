#include "reference.h"

double clock_ns(clockid_t which) {
  struct timespec t;
  clock_gettime(which, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Nanoseconds of one delay, in the thread's own processor time: another program that takes the processor does not lengthen the
   work. */
static double one_delay_ns(long count) {
  const double begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  for (long i = 0; i < count; ++i) weir_delay();
  return (clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin) / (double)count;
}

/* The same for an update of a variable that no other thread uses. */
static double one_update_ns(long count) {
  volatile double sum = 0;
  const double begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  for (long i = 0; i < count; ++i) sum += 1;
  return (clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin) / (double)count;
}

long length_of_delay(double ns) {
  weir_set_delay(1000);
  one_delay_ns(2000); /* the processor wakes up */
  const double with = one_delay_ns(2000);
  weir_set_delay(0);
  const double base = one_delay_ns(20000);
  const double each = (with - base) / 1000;
  return ns > base ? (long)((ns - base) / each + 0.5) : 0;
}

double reference_ns(enum work work, long count, struct share share) {
  const long threads = weir_threads();
  const long together = threads < share.processors ? threads : share.processors;
  const double in_turn = (double)((threads + share.processors - 1) / share.processors);
  /* Counted in delays: the longest chain, and the sum over all threads. */
  double longest = 1, sum = 1;
  switch (work) {
    case WORK_OF_EACH: longest = in_turn, sum = (double)threads; break;
    case WORK_OF_TWO: longest = together < 2 ? 2 : 1, sum = 2; break;
    case WORK_OF_LOOP: longest = 1024 * in_turn, sum = 1024 * (double)threads; break;
    case WORK_SHARED: longest = 1 / (double)together; break;
    default: break;
  }
  const double delays = longest > sum / share.capacity ? longest : sum / share.capacity;
  long repeats = work == WORK_OF_LOOP ? count * 1024 : count;
  repeats = repeats < 2000 ? 2000 : repeats > 20000 ? 20000 : repeats;
  return delays * (work == WORK_IS_UPDATE ? one_update_ns(repeats) : one_delay_ns(repeats));
}
