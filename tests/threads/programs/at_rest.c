/* What a process pays for Weir's threads while it rests (docs/process.md). at_rest WHAT THREADS [PROCESSES]:
   rests    writes the numbers of all threads that it has made, the first one too, and rests until there is a line of input; then
   one thread computes until the input ends bytes    of address space, while the threads sleep made     how many threads the
   system grants, of at most PROCESSES (RLIMIT_NPROC) of a user who has no others forks    page faults of a child of this program
   with so many threads, and of the program for each child blocked  all threads block at once where nobody expects it, and once
   more; then it rests until the input ends stuck    the same, but they stay blocked there */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { most = 1024 };

static sem_t go, first_goes, begun;
static pid_t known[most];
static atomic_int knowns;
static atomic_bool computes, stay_blocked;
static int pipes[2], silent[2];

static void note_this_thread(void) { known[atomic_fetch_add(&knowns, 1)] = (pid_t)syscall(SYS_gettid); }

static void* sleep_until_asked(void* is_first) {
  note_this_thread();
  sem_post(&begun);
  sem_wait(is_first != NULL ? &first_goes : &go);
  while (atomic_load_explicit(&computes, memory_order_relaxed)) {}
  return NULL;
}

static long bare(long number, long a, long b, long c) {
#if defined(__x86_64__)
  long result = number;
  __asm__ volatile("syscall" : "+a"(result) : "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
#else
  return syscall(number, a, b, c);
#endif
}

/* By turns they wait for each other and block. */
static void* block_unexpectedly(void* unused) {
  char byte;
  note_this_thread();
  for (int i = 0; i < 2; ++i) {
    for (int turn = 0; turn < 100; ++turn) {
      sem_post(&go);
      sem_wait(&go);
      sched_yield();
    }
    bare(SYS_read, pipes[0], (long)&byte, 1);
  }
  sem_post(&begun);
  if (atomic_load(&stay_blocked)) bare(SYS_read, silent[0], (long)&byte, 1);
  pause();
  return unused;
}

static long bytes_now(void) {
  long pages = 0;
  FILE* const sizes = fopen("/proc/self/statm", "r");
  if (fscanf(sizes, "%ld", &pages) != 1) abort();
  fclose(sizes);
  return pages * sysconf(_SC_PAGESIZE);
}

static void tell_of_forks(void) {
  enum { forks = 100 };
  for (int i = -1; i < forks; ++i) {
    static long before;
    struct rusage own;
    getrusage(RUSAGE_SELF, &own);
    if (i == 0) before = own.ru_minflt;
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, NULL, 0);
    if (i != forks - 1) continue;
    struct rusage of_children;
    getrusage(RUSAGE_CHILDREN, &of_children);
    printf("%ld %ld\n", of_children.ru_minflt / (forks + 1), (own.ru_minflt - before) / (forks - 1));
  }
}

static int create(int wanted, void* (*run)(void*)) {
  pthread_t thread;
  for (int i = 0; i < wanted; ++i)
    if (pthread_create(&thread, NULL, run, i == 0 ? &go : NULL) != 0) return i;
  return wanted;
}

int main(int count, char** words) {
  if (count < 3 || atoi(words[2]) > most - 1) return 2;
  if (count == 4) {
    const rlim_t processes = (rlim_t)atoi(words[3]);
    const struct rlimit limit = {processes, processes};
    if (setrlimit(RLIMIT_NPROC, &limit) != 0 || setuid(1000000 + (uid_t)getpid()) != 0) return 1;
  }
  const char* const what = words[1];
  const int wanted = atoi(words[2]);
  sem_init(&go, 0, 0);
  sem_init(&first_goes, 0, 0);
  sem_init(&begun, 0, 0);
  note_this_thread();
  atomic_store(&stay_blocked, strcmp(what, "stuck") == 0);
  if (strcmp(what, "blocked") == 0 || atomic_load(&stay_blocked)) {
    if (pipe(pipes) != 0 || pipe(silent) != 0) return 1;
    create(wanted, block_unexpectedly);
    for (int i = 0; i < 2 * wanted; ++i) {
      usleep(5000); /* for a while all that have come so far block together */
      if (write(pipes[1], "", 1) != 1) return 1;
    }
    for (int i = 0; i < wanted; ++i) sem_wait(&begun);
    puts("rests");
    fflush(stdout);
    getchar();
    _exit(0);
  }
  const int made = create(wanted, sleep_until_asked);
  for (int i = 0; i < made; ++i) sem_wait(&begun);
  if (strcmp(what, "made") == 0) printf("%d\n", made);
  if (strcmp(what, "bytes") == 0) {
    usleep(200 * 1000);
    printf("%ld\n", bytes_now());
  }
  if (strcmp(what, "forks") == 0) tell_of_forks();
  if (strcmp(what, "rests") == 0) {
    for (int i = 0; i < atomic_load(&knowns); ++i) printf("%d ", (int)known[i]);
    puts("");
    fflush(stdout);
    if (getchar() == EOF) return 1;
    atomic_store(&computes, 1);
    sem_post(&first_goes);
    while (getchar() != EOF) {}
  }
  fflush(stdout);
  _exit(0);
}
