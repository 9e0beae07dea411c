/* A process forks while another of its threads is in the runtime: in the child none of the runtime's own locks is held. */
#include "check.h"
#include "kmpc.h"
#include <omp.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void __kmpc_atomic_start(void);
void __kmpc_atomic_end(void);
void __kmpc_threadprivate_register(place *, void *, void *(*)(void *), void *(*)(void *, void *), void (*)(void *));
void *__kmpc_threadprivate(place *, int, void *, size_t);

static volatile int inside, done;
/* Long enough for a fork. */
static void stay(void) {
  inside = 1;
  usleep(50000);
}

static void update(void) {
  __kmpc_atomic_start();
  if (!done) stay();
  __kmpc_atomic_end();
}

static int slow, quick;
static void *copy_slowly(void *to, void *from) {
  memcpy(to, from, sizeof slow);
  stay();
  return to;
}
static void first_access(void) { __kmpc_threadprivate(&here, 0, done ? &quick : &slow, sizeof slow); }

static void set_format(void) {
  static const char *const formats[] = {"a format that is too long for its text to lie within a string object: %P", "%n"};
  inside = 1;
  for (int i = 0; i < (done ? 1 : 200000); ++i) omp_set_affinity_format(formats[i % 2]);
}

static void *in_another_thread(void *call) {
  (*(void (**)(void))call)();
  return NULL;
}

static void fork_during(void (*call)(void), int times) {
  pthread_t other;
  inside = done = 0;
  CHECK(pthread_create(&other, NULL, in_another_thread, &call) == 0);
  while (!inside) usleep(100);
  for (int i = 0; i < times && wrongs == 0; ++i) {
    pid_t child = fork();
    if (child == 0) {
      alarm(200); /* ends the test even if the child waits for ever */
      done = 1;
      call();
      _exit(0);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
  }
  pthread_join(other, NULL);
}

int main(void) {
  __kmpc_threadprivate_register(&here, &slow, NULL, copy_slowly, NULL);
  fork_during(update, 1);
  fork_during(first_access, 1);
  fork_during(set_format, 20);
  return verdict();
}
