// What the programs here share: a team, which no program may tell from threads.
//
// Built with OpenMP they open regions of OMP_NUM_THREADS members; with WEIR_TEST_THREADS they create as many threads, of which
// every other one has an affinity of its own, and so stays the kernel's, if WEIR_TEST_AS is "mixed"; otherwise the same members
// are those of a weir::crowd. They check with the eyes of a program: by system calls and the C library. They print "ok" and exit
// with 0, or say what is not so.
#pragma once

#include "../../openmp/programs/check.h"
#include "../times.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if !defined(_OPENMP) && !defined(WEIR_TEST_THREADS)
#include <weir/crowd.hpp>
#include <weir/locks.hpp>
#include <weir/team_barrier.hpp>
#endif

// ---- a team

inline const int members = asked();
/// The member that executes the calling thread, everywhere: also in handlers.
inline thread_local int member_here = -1;

#if defined(_OPENMP)
inline void meet() {
#pragma omp barrier
}
/// Each member calls it with its number.
template <class Run>
void team(Run run) {
#pragma omp parallel num_threads(members)
  {
    int me = 0;
#pragma omp for schedule(static)
    for (int i = 0; i < members; ++i) me = i;
    member_here = me;
    run(me);
    member_here = -1;
  }
}
#elif defined(WEIR_TEST_THREADS)
inline pthread_barrier_t its_barrier;
inline void meet() { pthread_barrier_wait(&its_barrier); }
template <class Run>
void team(Run run) {
  struct thread {
    Run* run;
    int me;
    pthread_t handle;
    static void* begin(void* given) {
      const thread& self = *static_cast<thread*>(given);
      for (int i = 0; i < 3; ++i) meet();  // a thread sleeps twice before it becomes a member
      member_here = self.me;
      (*self.run)(member_here);
      member_here = -1;
      return nullptr;
    }
  };
  const char* const as = std::getenv("WEIR_TEST_AS");
  const bool mixed = as != nullptr && std::strcmp(as, "mixed") == 0;
  pthread_attr_t kernels;
  cpu_set_t here;
  pthread_attr_init(&kernels);
  sched_getaffinity(0, sizeof here, &here);
  pthread_attr_setaffinity_np(&kernels, sizeof here, &here);
  pthread_barrier_init(&its_barrier, nullptr, static_cast<unsigned>(members));
  std::vector<thread> threads;
  for (int i = 0; i < members; ++i) threads.push_back({&run, i, {}});
  for (thread& each : threads)
    CHECK(pthread_create(&each.handle, mixed && each.me % 2 == 1 ? &kernels : nullptr, thread::begin, &each) == 0);
  for (const thread& each : threads) pthread_join(each.handle, nullptr);
  pthread_barrier_destroy(&its_barrier);
  pthread_attr_destroy(&kernels);
}
#else
/// team() makes it: a member that waits for its initialization would find errno changed, by the C++ library.
inline weir::team_barrier<>& its_barrier() {
  static weir::team_barrier<> barrier(static_cast<unsigned>(members));
  return barrier;
}
inline void meet() { its_barrier().arrive_and_wait(static_cast<unsigned>(member_here)); }
template <class Run>
void team(Run run) {
  its_barrier();
  weir::crowd crowd(static_cast<unsigned>(members), [&](unsigned me) {
    member_here = static_cast<int>(me);
    run(member_here);
    member_here = -1;
  });
  crowd.join();
}
#endif

// ---- the kernel

inline pid_t kernel_thread() { return static_cast<pid_t>(syscall(SYS_gettid)); }

// ---- signals

/// How the program handles it from now on.
inline void handle(int number, void (*handler)(int), int flags = SA_RESTART) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(number, &action, nullptr);
}
inline sigset_t set_of(std::initializer_list<int> numbers) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : numbers) sigaddset(&signals, number);
  return signals;
}
inline sigset_t mask_now() {
  sigset_t signals;
  pthread_sigmask(SIG_SETMASK, nullptr, &signals);
  return signals;
}
inline bool same(const sigset_t& one, const sigset_t& other) {
  for (int number = 1; number < 65; ++number) {
    if (sigismember(&one, number) != sigismember(&other, number)) return false;
  }
  return true;
}
inline bool blocked(int number) {
  const sigset_t signals = mask_now();
  return sigismember(&signals, number) == 1;
}
inline void block(int number) {
  const sigset_t signals = set_of({number});
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}
inline void unblock(int number) {
  const sigset_t signals = set_of({number});
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

// ---- subjects

constexpr double patience = 60;  // for what does happen; the machine may be busy, or slow

/// A process that executes the subject alone, and exits with 0 if all is well.
#if defined(WEIR_TEST_THREADS)
// It executes the program anew, since the child of a fork has no members.
template <class Run>
pid_t process_of(const char* name, Run run) {
  if (std::getenv("WEIR_TEST_SUBJECT") != nullptr) {
    run();
    std::fflush(nullptr);
    _exit(wrongs != 0);
  }
  pid_t process = -1;
  char program[] = "/proc/self/exe";
  char* const words[] = {program, nullptr};
  setenv("WEIR_TEST_SUBJECT", name, 1);
  CHECK(posix_spawn(&process, program, nullptr, nullptr, words, environ) == 0);
  unsetenv("WEIR_TEST_SUBJECT");
  return process;
}
#else
template <class Run>
pid_t process_of(const char*, Run run) {
  const pid_t process = fork();
  if (process != 0) return process;
  wrongs = 0;
  run();
  std::fflush(nullptr);
  _exit(wrongs != 0);
}
#endif

/// Executes one subject in a process of its own, before this one has any thread: so that none disturbs the next, and one that
/// does not end is named.
template <class Run>
void subject(const char* name, Run run, double patience_s = 2 * patience) {
  if (const char* only = std::getenv("WEIR_TEST_SUBJECT"); only != nullptr && std::strcmp(only, name) != 0) return;
  std::fflush(nullptr);
  const pid_t process = process_of(name, run);
  int status = 0;
  if (!within(patience_s, [&] { return waitpid(process, &status, WNOHANG) == process; })) {
    kill(process, SIGKILL);
    waitpid(process, &status, 0);
    std::fprintf(stderr, "%s: does not end\n", name);
  } else if (WIFSIGNALED(status)) {
    std::fprintf(stderr, "%s: ended by signal %d\n", name, WTERMSIG(status));
  } else if (status == 0) {
    return;
  } else {
    std::fprintf(stderr, "%s: wrong\n", name);
  }
  add(&wrongs, 1);
}
