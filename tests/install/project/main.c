#include <weir/barrier.h>

#include <pthread.h>
#include <stdio.h>

static weir_barrier_t barrier;

static void* member(void* serial) {
  for (int i = 0; i < 100; ++i)
    if (weir_barrier_wait(&barrier) == WEIR_BARRIER_SERIAL_THREAD) ++*(int*)serial;
  return NULL;
}

int main(void) {
  int serial[4] = {0};
  pthread_t threads[4];
  if (weir_barrier_init(&barrier, NULL, 4) != 0) return 1;
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, member, &serial[i]);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  const int episodes = serial[0] + serial[1] + serial[2] + serial[3];
  printf("%d episodes\n", episodes);
  return weir_barrier_destroy(&barrier) == 0 && episodes == 100 ? 0 : 1;
}
