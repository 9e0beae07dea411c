/* The C interface as a C program uses it: compiled as C without extensions. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <weir/barrier.h>

static void* wait_and_tell(void* barrier) { return weir_barrier_wait(barrier) == WEIR_BARRIER_SERIAL_THREAD ? barrier : NULL; }

/* The number of threads among `count` whose wait returned "serial thread"; -1 for an error. */
int serial_threads_of_one_episode(unsigned count) {
  pthread_t threads[64];
  weir_barrier_t barrier;
  int serial = 0;
  if (count > 64 || weir_barrier_init(&barrier, NULL, count) != 0) return -1;
  for (unsigned i = 0; i < count; ++i) pthread_create(&threads[i], NULL, wait_and_tell, &barrier);
  for (unsigned i = 0; i < count; ++i) {
    void* told;
    pthread_join(threads[i], &told);
    serial += told != NULL;
  }
  return weir_barrier_destroy(&barrier) == 0 ? serial : -1;
}

static void* leave_last(void* barrier) {
  weir_barrier_wait(barrier);
  return NULL;
}

/* Destroys each barrier, and poisons its memory, while the other thread may still be leaving. */
int destroy_at_once(unsigned rounds) {
  for (unsigned i = 0; i < rounds; ++i) {
    weir_barrier_t* const barrier = malloc(sizeof *barrier);
    pthread_t other;
    if (weir_barrier_init(barrier, NULL, 2) != 0) return -1;
    pthread_create(&other, NULL, leave_last, barrier);
    weir_barrier_wait(barrier);
    if (weir_barrier_destroy(barrier) != 0) return -1;
    memset(barrier, 0xff, sizeof *barrier);
    pthread_join(other, NULL); /* the other thread reads the barrier's pointer only before it waits */
    free(barrier);
  }
  return 0;
}
