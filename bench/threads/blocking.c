/* The cost for a team whose members block in the kernel: rounds of one blocking call and one barrier of OpenMP.

     blocking [SUBJECT...]

   For each subject one line: its name, and the milliseconds of all its rounds. scripts/compare-blocking compares them on kernel
   threads and on user-level members. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int members;

static void fail(const char *what) {
  perror(what);
  exit(1);
}
static void *of_members(size_t bytes) {
  void *zeroed = calloc((size_t)members, bytes);
  if (zeroed == NULL) fail("calloc");
  return zeroed;
}

/* A byte goes round: each member waits for it in read(). */
static int (*pipes)[2];
static void prepare_pipes(void) {
  pipes = of_members(sizeof *pipes);
  for (int m = 0; m < members; ++m) {
    if (pipe(pipes[m]) != 0) fail("pipe");
  }
}
static void pass_by_pipes(int me) {
  char byte = 0;
  if (me == 0 && write(pipes[1 % members][1], &byte, 1) != 1) fail("write");
  if (read(pipes[me][0], &byte, 1) != 1) fail("read");
  if (me != 0 && write(pipes[(me + 1) % members][1], &byte, 1) != 1) fail("write");
}

static sem_t *semaphores;
static void prepare_semaphores(void) {
  semaphores = of_members(sizeof *semaphores);
  for (int m = 0; m < members; ++m) sem_init(&semaphores[m], 0, 0);
}
static void pass_by_semaphores(int me) {
  if (me == 0) sem_post(&semaphores[1 % members]);
  sem_wait(&semaphores[me]);
  if (me != 0) sem_post(&semaphores[(me + 1) % members]);
}

static pthread_barrier_t posix_barrier;
static void prepare_barriers(void) { pthread_barrier_init(&posix_barrier, NULL, (unsigned)members); }
static void meet_by_posix(int me) {
  (void)me;
  pthread_barrier_wait(&posix_barrier);
}

/* The last of a round wakes the others. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_are_there = PTHREAD_COND_INITIALIZER;
static int there;
static long round_number;
static void prepare_conditions(void) { there = 0; }
static void meet_by_conditions(int me) {
  (void)me;
  pthread_mutex_lock(&mutex);
  if (++there == members) {
    there = 0;
    ++round_number;
    pthread_cond_broadcast(&all_are_there);
  } else {
    for (const long begun = round_number; begun == round_number;) pthread_cond_wait(&all_are_there, &mutex);
  }
  pthread_mutex_unlock(&mutex);
}

static int *files;
static void prepare_files(void) {
  files = of_members(sizeof *files);
  for (int m = 0; m < members; ++m) {
    char name[] = "blocking-XXXXXX";
    if ((files[m] = mkstemp(name)) < 0) fail("mkstemp");
    unlink(name);
  }
}
static void synchronise_a_file(int me) {
  if (pwrite(files[me], "a record of a journal", 21, 0) != 21 || fsync(files[me]) != 0) fail("fsync");
}

static void prepare_sleeps(void) {}
static void sleep_for_a_moment(int me) {
  (void)me;
  const struct timespec moment = {0, 100000};
  nanosleep(&moment, NULL);
}

/* A lock that each member holds while it waits for the kernel. */
static void prepare_locks(void) {}
static void enter_a_mutex(int me) {
  (void)me;
  const struct timespec moment = {0, 1000};
  pthread_mutex_lock(&mutex);
  nanosleep(&moment, NULL);
  pthread_mutex_unlock(&mutex);
}

static const struct subject {
  const char *name;
  int rounds;
  void (*prepare)(void);
  void (*block)(int me);
} subjects[] = {
    {"pipes", 500, prepare_pipes, pass_by_pipes},
    {"semaphores", 500, prepare_semaphores, pass_by_semaphores},
    {"barriers", 500, prepare_barriers, meet_by_posix},
    {"conditions", 500, prepare_conditions, meet_by_conditions},
    {"fsync", 100, prepare_files, synchronise_a_file},
    {"sleeps", 200, prepare_sleeps, sleep_for_a_moment},
    {"mutex", 100, prepare_locks, enter_a_mutex},
};

static double measured_ms(const struct subject *s) {
  s->prepare();
  double begin = 0;
#pragma omp parallel num_threads(members)
  {
    const int me = omp_get_thread_num();
    for (int i = 0; i < s->rounds / 10; ++i) {
      s->block(me);
#pragma omp barrier
    }
#pragma omp master
    begin = omp_get_wtime();
#pragma omp barrier
    for (int i = 0; i < s->rounds; ++i) {
      s->block(me);
#pragma omp barrier
    }
  }
  return 1e3 * (omp_get_wtime() - begin);
}

int main(int count, char **words) {
  members = omp_get_max_threads();
  for (size_t i = 0; i < sizeof subjects / sizeof *subjects; ++i) {
    int asked = count == 1;
    for (int w = 1; w < count; ++w) asked |= strcmp(words[w], subjects[i].name) == 0;
    if (asked) printf("%s %.3f\n", subjects[i].name, measured_ms(&subjects[i]));
    fflush(stdout);
  }
  return 0;
}
