/* Does not use Weir by name: the libraries that it has loaded show whose barriers it waits at. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_barrier_t barrier;

static void* member(void* serial) {
  for (int i = 0; i < 100; ++i)
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) ++*(int*)serial;
  return NULL;
}

int main(void) {
  int serial[3] = {0}, ours = 0;
  pthread_t threads[3];
  pthread_barrier_init(&barrier, NULL, 3);
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, member, &serial[i]);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  FILE* const maps = fopen("/proc/self/maps", "r");
  for (char line[512]; maps != NULL && fgets(line, sizeof line, maps) != NULL;)
    ours |= strstr(line, "libweir-pthread.so") != NULL;
  return ours && serial[0] + serial[1] + serial[2] == 100 ? 0 : 1;
}
