/* What a hand-over costs between the threads of one processor, and a mutex that nobody waits for.

     weir-hand-over [ROUNDS]

   For each subject one line: its name, and of all hand-overs by turns the least and the median, in nanoseconds. To be run bound
   to one processor, plain and by `weir run --threads all`: then the threads are members of one virtual processor. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { threads = 4, turns = 50 };
static int rounds = 20000;
static double *took; /* of each round of turns, by one hand-over */

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static sem_t semaphores[threads];
static void pass_semaphore(int me) {
  sem_wait(&semaphores[me]);
  sem_post(&semaphores[(me + 1) % threads]);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed[threads] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER,
                                          PTHREAD_COND_INITIALIZER};
static int turn;
static void pass_by_condition(int me) {
  pthread_mutex_lock(&mutex);
  while (turn != me) pthread_cond_wait(&changed[me], &mutex);
  turn = (me + 1) % threads;
  pthread_cond_signal(&changed[turn]);
  pthread_mutex_unlock(&mutex);
}

/* Each thread holds the mutex of its turn, and takes that of the next but one before it gives its own back: whoever wants a mutex
 * waits. */
static pthread_mutex_t mutexes[threads + 1];
static int place[threads];
static void begin_with_mutexes(int me) {
  place[me] = me;
  pthread_mutex_lock(&mutexes[me]);
}
static void pass_mutex(int me) {
  const int next = (place[me] + 1) % (threads + 1);
  pthread_mutex_lock(&mutexes[next]);
  pthread_mutex_unlock(&mutexes[place[me]]);
  place[me] = next;
}

static pthread_mutex_t alone = PTHREAD_MUTEX_INITIALIZER;
static void take_and_give_back(int me) {
  (void)me;
  pthread_mutex_lock(&alone);
  pthread_mutex_unlock(&alone);
}

static const struct subject {
  const char *name;
  int threads;
  void (*begin)(int me);
  void (*pass)(int me);
} subjects[] = {{"semaphore", threads, NULL, pass_semaphore},
                {"condition", threads, NULL, pass_by_condition},
                {"mutex", threads, begin_with_mutexes, pass_mutex},
                {"uncontended", 1, NULL, take_and_give_back}};
static const struct subject *subject;
static pthread_barrier_t all_are_there;

static void *run(void *number) {
  const int me = (int)(long)number;
  if (subject->begin != NULL) subject->begin(me);
  pthread_barrier_wait(&all_are_there);
  for (int round = 0; round < rounds; ++round) {
    const double begun = me == 0 ? now_ns() : 0;
    for (int i = 0; i < turns; ++i) subject->pass(me);
    if (me == 0) took[round] = (now_ns() - begun) / (turns * subject->threads);
  }
  return NULL;
}

static int by_size(const void *a, const void *b) {
  const double one = *(const double *)a, other = *(const double *)b;
  return (one > other) - (one < other);
}

int main(int count, char **words) {
  if (count > 1) rounds = atoi(words[1]);
  took = calloc((size_t)rounds, sizeof *took);
  if (took == NULL) return perror("calloc"), 1;
  for (int i = 0; i < threads; ++i) sem_init(&semaphores[i], 0, i == 0);
  for (int i = 0; i <= threads; ++i) pthread_mutex_init(&mutexes[i], NULL);
  for (subject = subjects; subject != subjects + sizeof subjects / sizeof *subjects; ++subject) {
    pthread_t running[threads];
    pthread_barrier_init(&all_are_there, NULL, (unsigned)subject->threads);
    for (long i = 0; i < subject->threads; ++i) pthread_create(&running[i], NULL, run, (void *)i);
    for (int i = 0; i < subject->threads; ++i) pthread_join(running[i], NULL);
    pthread_barrier_destroy(&all_are_there);
    qsort(took, (size_t)rounds, sizeof *took, by_size);
    printf("%s %.1f %.1f\n", subject->name, took[0], took[rounds / 2]);
  }
  return 0;
}
