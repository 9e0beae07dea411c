/* Threads of the program that open regions one after the other. kept_crews MODE prints how many workers of earlier threads the
 * last one had; -1 is a failed check. */
#define _GNU_SOURCE
#include <fenv.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "threads_alive.h"

enum { SIZE = 8, MANY = 60, MOST_KEPT = 256 };

static pid_t workers[SIZE], before[SIZE];

static int same(void) {
  int count = 0;
  for (int i = 1; i < SIZE; ++i)
    for (int k = 1; k < SIZE; ++k) count += workers[i] == before[k];
  return count;
}

static void region(void) {
  memcpy(before, workers, sizeof before);
#pragma omp parallel num_threads(SIZE)
  workers[omp_get_thread_num()] = gettid();
}
static void *opens_region(void *unused) {
  region();
  return unused;
}
static void in_thread(void *(*run)(void *), void *what) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, run, what) != 0 || pthread_join(thread, NULL) != 0) exit(2);
}

/* A crew is kept now. Beside other programs some are not, because a stand-in has a part of them. */
static int until_kept(void) {
  in_thread(opens_region, NULL);
  for (int i = 0; i < 100; ++i) {
    in_thread(opens_region, NULL);
    if (same() == SIZE - 1) return 1;
  }
  return 0;
}

/* ---- what a thread's workers get from it */

static void change(const char *what) {
  if (strcmp(what, "signals") == 0) {
    sigset_t some;
    sigemptyset(&some);
    sigaddset(&some, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &some, NULL);
  } else if (strcmp(what, "nice") == 0) {
    setpriority(PRIO_PROCESS, (id_t)gettid(), 7);
  } else if (strcmp(what, "affinity") == 0) {
    cpu_set_t processors, one;
    CPU_ZERO(&one);
    CPU_ZERO(&processors);
    sched_getaffinity(0, sizeof processors, &processors);
    for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
      if (CPU_ISSET(cpu, &processors)) CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
  } else if (strcmp(what, "name") == 0) {
    pthread_setname_np(pthread_self(), "changed");
  } else if (strcmp(what, "rounding") == 0) {
    fesetround(FE_UPWARD);
  } else if (strcmp(what, "slack") == 0) {
    prctl(PR_SET_TIMERSLACK, 70000ul);
  } else if (strcmp(what, "folder") == 0) {
    if (unshare(CLONE_FS) != 0 || chdir("/proc") != 0) exit(2);
  }
}
static int is_changed(const char *what) {
  if (strcmp(what, "signals") == 0) {
    sigset_t now;
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    return sigismember(&now, SIGUSR2);
  }
  if (strcmp(what, "nice") == 0) return getpriority(PRIO_PROCESS, (id_t)gettid()) == 7;
  if (strcmp(what, "affinity") == 0) {
    cpu_set_t processors;
    sched_getaffinity(gettid(), sizeof processors, &processors); /* a member's own kernel thread, wherever the member runs */
    return CPU_COUNT(&processors) == 1;
  }
  if (strcmp(what, "name") == 0) {
    char name[16];
    pthread_getname_np(pthread_self(), name, sizeof name);
    return strcmp(name, "changed") == 0;
  }
  if (strcmp(what, "slack") == 0) return prctl(PR_GET_TIMERSLACK) == 70000;
  if (strcmp(what, "folder") == 0) {
    char where[256];
    return getcwd(where, sizeof where) != NULL && strcmp(where, "/proc") == 0;
  }
  return fegetround() == FE_UPWARD;
}

static int changed;
static void *counts_changed(void *what) {
  changed = 0;
  region();
#pragma omp parallel num_threads(SIZE) reduction(+ : changed)
  changed += is_changed(what);
  return NULL;
}
static void *changes_itself(void *what) {
  change(what);
  return counts_changed(what);
}
static void *changes_worker(void *what) {
  region();
#pragma omp parallel num_threads(SIZE)
  if (omp_get_thread_num() == 3) change(what);
  return NULL;
}

/* ---- how many there are */

static int come_down_to(int most) {
  for (int i = 0; i < 6000 && threads_alive() > most; ++i) usleep(10000);
  return threads_alive() <= most;
}

static pthread_barrier_t all_have_crews;
static void *opens_region_beside(void *unused) {
#pragma omp parallel num_threads(SIZE)
  (void)omp_get_thread_num();
  pthread_barrier_wait(&all_have_crews);
  return unused;
}

static void *has_own_name(void *number) {
  char name[16];
  snprintf(name, sizeof name, "thread %d", *(int *)number);
  pthread_setname_np(pthread_self(), name);
  return opens_region(NULL);
}

static void *opens_region_later(void *unused) {
  usleep(100000);
  return opens_region(unused);
}

int main(int count, char **words) {
  const char *const mode = count > 1 ? words[1] : "", *const what = count > 2 ? words[2] : "";
  int result = 0;
  if (strcmp(mode, "again") == 0) {
    result = until_kept() ? same() : 0;
  } else if (strcmp(mode, "caller") == 0) { /* the second thread differs, the third is as the first */
    if (!until_kept()) return 1;
    in_thread(changes_itself, (void *)what);
    result = changed == SIZE ? same() : -1;
    in_thread(counts_changed, (void *)what);
    if (changed != 0) result = -1;
  } else if (strcmp(mode, "worker") == 0) {
    if (!until_kept()) return 1;
    in_thread(changes_worker, (void *)what);
    in_thread(counts_changed, (void *)what);
    result = changed == 0 ? same() : -1;
  } else if (strcmp(mode, "pause") == 0) {
    if (!until_kept()) return 1;
    const int most = threads_alive();
    omp_pause_resource_all(omp_pause_hard);
    if (!come_down_to(most - (SIZE - 1))) result = -1;
    in_thread(opens_region, NULL);
    if (result == 0) result = same();
  } else if (strcmp(mode, "many") == 0) {
    pthread_t started[MANY];
    pthread_barrier_init(&all_have_crews, NULL, MANY);
    for (int i = 0; i < MANY; ++i)
      if (pthread_create(&started[i], NULL, opens_region_beside, NULL) != 0) return 2;
    for (int i = 0; i < MANY; ++i) pthread_join(started[i], NULL);
    if (!come_down_to(MOST_KEPT + 60) || threads_alive() < MOST_KEPT / 2) result = -1;
  } else if (strcmp(mode, "misfits") == 0) {
    for (int i = 0; i < MANY; ++i) in_thread(has_own_name, &i);
    if (!come_down_to(5 * SIZE)) result = -1;
  } else if (strcmp(mode, "fork") == 0) {
    if (!until_kept()) return 1;
    const pid_t child = fork();
    if (child == 0) _exit(until_kept() ? 0 : 1);
    int status = 1;
    waitpid(child, &status, 0);
    result = status == 0 && until_kept() ? same() : -1;
  } else if (strcmp(mode, "ends") == 0) { /* the process ends with its last thread */
    pthread_t later;
    if (!until_kept()) return 1;
    pthread_create(&later, NULL, opens_region_later, NULL);
    pthread_detach(later);
    puts("0");
    fflush(stdout);
    pthread_exit(NULL);
  }
  printf("%d\n", result);
  return 0;
}
