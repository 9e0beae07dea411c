// What the programs here share. They check that the functions by which threads wait for each other keep the C library's contract,
// whoever schedules the threads.
//
// WEIR_TEST_AS says who the threads of a program are: "threads" that it creates, which are members with WEIR_THREADS=all;
// "mixed": every other one has an affinity of its own, so it stays a thread of the kernel; or the members of an OpenMP "team".
// WEIR_TEST_BESIDE=spinning lets another thread compute all the time, and polling lets two poll for each other, so that with
// WEIR_THREADS=auto all threads become members while they wait. Each subject runs in a process of its own, which is
// executed anew, since the child of a fork has no members.
#pragma once

#include "../../openmp/programs/check.h"
#include "../times.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

inline const int members = asked();
inline const std::string threads_are = std::getenv("WEIR_TEST_AS") != nullptr ? std::getenv("WEIR_TEST_AS") : "threads";
inline const char* const beside = std::getenv("WEIR_TEST_BESIDE");
inline const bool beside_spinning = beside != nullptr;  // somebody runs all the time

// ---- time

constexpr double patience = 60;  // for what does happen; the machine may be busy, or slow

inline timespec in(double seconds, clockid_t by = CLOCK_REALTIME) { return timespec_of(now_s(by) + seconds); }
inline constexpr timespec no_time{1, 1'000'000'000};  // not valid
/// Until it holds; false: not within our patience.
template <class Holds>
bool soon(Holds holds) { return within(patience, holds); }
/// The wait ends with this error, and not before its limit by that clock.
template <class Wait>
bool is_late(int error, clockid_t by, Wait wait, double seconds = 0.03) {
  const timespec limit = in(seconds, by);
  const int result = wait(&limit);
  timespec now;
  clock_gettime(by, &now);
  const bool in_time = now.tv_sec != limit.tv_sec ? now.tv_sec > limit.tv_sec : now.tv_nsec >= limit.tv_nsec;
  if (result != error || !in_time) std::fprintf(stderr, "%s, %s\n", std::strerror(result), in_time ? "in time" : "early");
  return result == error && in_time;
}
/// As functions of POSIX threads return errors.
inline int error_of(long result) { return result == -1 ? errno : 0; }

// ---- threads

/// Of the kernel alone.
class kernel_thread {
 public:
  kernel_thread() {
    pthread_attr_init(&attributes_);
    cpu_set_t here;
    sched_getaffinity(0, sizeof here, &here);
    pthread_attr_setaffinity_np(&attributes_, sizeof here, &here);
  }
  kernel_thread(const kernel_thread&) = delete;
  ~kernel_thread() { pthread_attr_destroy(&attributes_); }
  const pthread_attr_t* attributes() const { return &attributes_; }

 private:
  pthread_attr_t attributes_;
};

/// A thread's first waits are the kernel's (program/seats.cpp), and most threads here wait once or twice. One that has yielded
/// has a seat before, if there are more threads than processors. Only those of a mixture beside other threads begin as they are.
inline void take_seat() {
  if (threads_are != "mixed" || beside == nullptr) sched_yield();
}

using function = std::function<void*()>;
inline pthread_t start(function run, const pthread_attr_t* how = nullptr) {
  pthread_t thread{};
  CHECK(pthread_create(&thread, how, [](void* what) -> void* {
    const function run_it = std::move(*static_cast<function*>(what));
    delete static_cast<function*>(what);
    take_seat();
    return run_it();
  }, new function(std::move(run))) == 0);
  return thread;
}
inline void* result_of(pthread_t thread) {
  void* result = nullptr;
  CHECK(pthread_join(thread, &result) == 0);
  return result;
}

/// Each of `members` threads calls run(number), and all end.
template <class Run>
void team(Run run) {
  if (threads_are == "team") {
#pragma omp parallel num_threads(members)
    {
      int me = 0;
#pragma omp for schedule(static)
      for (int i = 0; i < members; ++i) me = i;
      run(me);
    }
    return;
  }
  const kernel_thread own;
  std::vector<pthread_t> threads;
  for (int i = 0; i < members; ++i)
    threads.push_back(start([&run, i] { return run(i), nullptr; },
                        threads_are == "mixed" && i % 2 == 1 ? own.attributes() : nullptr));
  for (const pthread_t each : threads) CHECK(result_of(each) == nullptr);
}
/// The members meet here, by nothing that is tested.
class meeting {
 public:
  void arrive() {
    const int round = round_.load();
    if (arrived_.fetch_add(1) + 1 == members) {
      arrived_ = 0;
      ++round_;
    } else {
      while (round_ == round) sched_yield();
    }
  }

 private:
  std::atomic<int> arrived_{0}, round_{0};
};

/// More threads than processors, during the lifetime of this object: they wait.
class others {
 public:
  others() {
    for (int i = 0; i < 6; ++i) threads_.push_back(start([this] { return wait(), nullptr; }));
    CHECK(soon([this] { return waiting_ == 6; }));
  }
  others(const others&) = delete;
  ~others() {
    pthread_mutex_lock(&mutex_);
    ended_ = true;
    pthread_cond_broadcast(&changed_);
    pthread_mutex_unlock(&mutex_);
    for (const pthread_t each : threads_) pthread_join(each, nullptr);
  }

 private:
  void wait() {
    pthread_mutex_lock(&mutex_);
    ++waiting_;
    while (!ended_) pthread_cond_wait(&changed_, &mutex_);
    pthread_mutex_unlock(&mutex_);
  }
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed_ = PTHREAD_COND_INITIALIZER;
  bool ended_ = false;
  std::atomic<int> waiting_{0};
  std::vector<pthread_t> threads_;
};

/// Does what a child process does; the process must end well.
template <class Run>
void child(Run run) {
  std::fflush(nullptr);
  const pid_t process = fork();
  if (process == 0) {
    wrongs = 0;
    run();
    std::fflush(nullptr);
    _exit(wrongs != 0);
  }
  int status = -1;
  while (waitpid(process, &status, 0) == -1 && errno == EINTR) {
  }
  CHECK(status == 0);
}

// ---- subjects

struct subject {
  const char* name;
  void (*run)();
};

/// In this process.
inline int run_alone(const subject& chosen) {
  const bool polling = beside_spinning && std::strcmp(beside, "polling") == 0;
  static std::atomic<int> turn{0};
  const auto take_turns = [](int me) {
    for (;; turn = 1 - me)
      while (turn != me) {
      }
  };
  if (polling)
    for (int me = 0; me < 2; ++me) std::thread(take_turns, me).detach();
  else if (beside_spinning)
    std::thread([] {
      for (;;) compute(0.001);
    }).detach();
  return chosen.run(), verdict();
}

/// The value that main() returns.
template <std::size_t N>
int run_all(const subject (&subjects)[N]) {
  const char* const only = std::getenv("WEIR_TEST_SUBJECT");
  for (const subject& chosen : subjects) {
    if (only != nullptr) {
      if (std::strcmp(only, chosen.name) == 0) return run_alone(chosen);
      continue;
    }
    setenv("WEIR_TEST_SUBJECT", chosen.name, 1);
    pid_t process = 0;
    char program[] = "/proc/self/exe";
    char* const arguments[] = {program, nullptr};
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", 2, 0);
    CHECK(posix_spawn(&process, program, &quiet, nullptr, arguments, environ) == 0);
    posix_spawn_file_actions_destroy(&quiet);
    int status = 0;
    bool ended = false;
    for (const double until = now_s() + 3 * patience; !ended && now_s() < until; sleep_for(0.002))
      ended = waitpid(process, &status, WNOHANG) == process;
    if (!ended) {
      kill(process, SIGKILL);
      waitpid(process, &status, 0);
    }
    if (!ended || status != 0) {
      std::fprintf(stderr, "%s: %s (%d)\n", chosen.name, ended ? "wrong" : "does not end", status);
      add(&wrongs, 1);
    }
  }
  if (only != nullptr) return std::fprintf(stderr, "%s: no such subject\n", only), 2;
  return verdict();
}
