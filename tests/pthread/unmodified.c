/* A program that uses only POSIX barriers; tests/pthread/preload.sh runs it with and without
 * libweir-pthread.so. It checks what POSIX guarantees: every episode has one serial thread, no thread
 * leaves early, a thread may destroy a barrier as soon as its own wait has returned, and barriers shared
 * by processes work. Prints "ok"; with the argument "whose", the library that provides the barrier. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { members = 5, episodes = 2000 };

static pthread_barrier_t barrier;
static volatile int arrived[members];
static int serial[members];

static void fail(const char* what) {
  printf("failed: %s\n", what);
  exit(1);
}

static void* member(void* argument) {
  const int me = (int)(long)argument;
  for (int e = 1; e <= episodes; ++e) {
    arrived[me] = e;
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) ++serial[me];
    for (int other = 0; other < members; ++other)
      if (arrived[other] < e || arrived[other] > e + 1) fail("a member left early");
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

static void episodes_have_one_serial_thread(void) {
  pthread_t threads[members];
  if (pthread_barrier_init(&barrier, NULL, 0) == 0) fail("a barrier for 0 threads was accepted");
  if (pthread_barrier_init(&barrier, NULL, members) != 0) fail("init");
  for (long i = 0; i < members; ++i) pthread_create(&threads[i], NULL, member, (void*)i);
  int total = 0;
  for (int i = 0; i < members; ++i) {
    pthread_join(threads[i], NULL);
    total += serial[i];
  }
  if (total != episodes) fail("not one serial thread in each episode");
  if (pthread_barrier_destroy(&barrier) != 0) fail("destroy");
}

static void* wait_once(void* b) {
  pthread_barrier_wait(b);
  return NULL;
}

/* The thread whose wait returns first destroys the barrier and poisons its memory while the other is leaving. */
static void may_be_destroyed_at_once(void) {
  for (int round = 0; round < 3000; ++round) {
    pthread_barrier_t* const b = malloc(sizeof *b);
    pthread_t other;
    if (pthread_barrier_init(b, NULL, 2) != 0) fail("init");
    pthread_create(&other, NULL, wait_once, b);
    pthread_barrier_wait(b);
    if (pthread_barrier_destroy(b) != 0) fail("destroy after the own wait");
    memset(b, 0xff, sizeof *b);
    free(b);
    pthread_join(other, NULL);
  }
}

static void processes_can_share_one(void) {
  struct {
    pthread_barrier_t barrier;
    volatile int before[2];
  }* shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_barrierattr_t attributes;
  pthread_barrierattr_init(&attributes);
  pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  if (pthread_barrier_init(&shared->barrier, &attributes, 2) != 0) fail("init of a shared barrier");
  const pid_t child = fork();
  const int me = child == 0;
  for (int e = 1; e <= 200; ++e) {
    shared->before[me] = e;
    pthread_barrier_wait(&shared->barrier);
    if (shared->before[1 - me] < e) fail("a process left early");
    pthread_barrier_wait(&shared->barrier);
  }
  if (child == 0) _exit(0);
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) fail("the other process");
  if (pthread_barrier_destroy(&shared->barrier) != 0) fail("destroy of a shared barrier");
}

static volatile int stop_making;

static void* make_barriers(void* unused) {
  (void)unused;
  while (!stop_making) {
    pthread_barrier_t b;
    pthread_barrier_init(&b, NULL, 1);
    pthread_barrier_destroy(&b);
  }
  return NULL;
}

/* A forked child can use barriers, whatever its parent's other threads were doing at the fork. */
static void forked_children_have_barriers(void) {
  pthread_t other;
  pthread_create(&other, NULL, make_barriers, NULL);
  for (int round = 0; round < 50; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(200); /* ends the test even if the child waits for ever */
      pthread_barrier_t b;
      if (pthread_barrier_init(&b, NULL, 1) != 0) _exit(1);
      if (pthread_barrier_wait(&b) != PTHREAD_BARRIER_SERIAL_THREAD) _exit(1);
      _exit(pthread_barrier_destroy(&b));
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) fail("a forked child's barrier");
  }
  stop_making = 1;
  pthread_join(other, NULL);
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "whose") == 0) {
    Dl_info info;
    if (dladdr(dlsym(RTLD_DEFAULT, "pthread_barrier_wait"), &info) != 0) puts(info.dli_fname);
    return 0;
  }
  episodes_have_one_serial_thread();
  may_be_destroyed_at_once();
  processes_can_share_one();
  forked_children_have_barriers();
  puts("ok");
  return 0;
}
