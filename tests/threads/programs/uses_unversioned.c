// Threads wait for a condition of a library that asks for the C library's functions in no version: all of them must be of one
// version.
#include <pthread.h>
#include <stdio.h>

int gate_begin(void);
void gate_wait(void);
void gate_open(void);
int gate_end(void);

static void* wait_there(void* given) {
  gate_wait();
  return given;
}

int main(void) {
  pthread_t threads[8];
  int failed = gate_begin();
  for (int i = 0; i < 8; ++i) failed |= pthread_create(&threads[i], 0, wait_there, 0);
  gate_open();
  for (int i = 0; i < 8; ++i) failed |= pthread_join(threads[i], 0);
  failed |= gate_end();
  puts(failed ? "failed" : "ok");
  return failed;
}
