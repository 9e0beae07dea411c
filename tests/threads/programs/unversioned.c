// A library that is not linked with the C library, and so asks for its functions in no version.
#include <pthread.h>

static pthread_cond_t changed;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int is_open;

int gate_begin(void) { return pthread_cond_init(&changed, 0); }
void gate_wait(void) {
  pthread_mutex_lock(&mutex);
  while (!is_open) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
}
void gate_open(void) {
  pthread_mutex_lock(&mutex);
  is_open = 1;
  pthread_mutex_unlock(&mutex);
  pthread_cond_broadcast(&changed);
}
int gate_end(void) { return pthread_cond_destroy(&changed); }
