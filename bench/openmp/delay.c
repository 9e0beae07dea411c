#include "construct.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Out of order, two short delays in a row would take the time of one, and the atomic operations of a lock would be hidden
   behind the delay that the lock guards. So all earlier instructions are complete when a delay begins. Its end is not fenced,
   like that of real computing. */
static inline void wait_for_instructions_before(void) {
#if defined(__x86_64__)
  _mm_lfence();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#endif
}

/* Alone on its line: no thread writes there while others read. */
static struct {
  _Alignas(128) long length;
  char rest[128 - sizeof(long)];
} delay = {1, {0}};

void weir_set_delay(long length) { delay.length = length; }

void weir_delay(void) {
  const long length = delay.length;
  wait_for_instructions_before();
  double a = 1;
  for (long i = 0; i < length; ++i) a = a * 0.999 + 0.5;
  /* The compiler must assume that the result is used. */
  __asm__ volatile("" : "+m"(a));
}

void weir_look_at(void *what) { __asm__ volatile("" : : "r"(what) : "memory"); }
