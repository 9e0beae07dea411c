// A row of the conformance run: a function of the C library, and ways to call it, of which main.cpp makes experiments.
//
// Each experiment is made in a thread of its own, the caller, beside another one, the driver. What they say must be determined by
// POSIX and by the manual: it is compared, line by line, with what they say without Weir.
#pragma once

#include "../times.hpp"

#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <threads.h>
#include <unistd.h>

/// What an experiment works on. Nothing of it is used again.
struct place {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  pthread_spinlock_t spin{};
  pthread_barrier_t barrier{};
  pthread_once_t once = PTHREAD_ONCE_INIT;
  sem_t semaphore{};
  mtx_t c11_mutex{};
  cnd_t c11_changed{};
  once_flag c11_once = ONCE_FLAG_INIT;
  pthread_t other{}, caller{};
  pid_t child = -1, caller_number = 0;
  int here = -1, there = -1, third = -1;
  std::uint32_t word = 0;
  bool flag = false;  // under the mutex
  std::atomic<bool> goes_on{false}, routine_runs{false};
  char bytes[256] = {};
  timespec time{};  // for the call: a limit, or how long
  // The limit of which main.cpp looks whether it was kept. Without a clock there is none.
  timespec until{};
  clockid_t by = -1;
  std::string notes;  // said behind the result
  std::vector<int> files;

  /// The call must not return, with a limit that has passed, before that.
  void keep(clockid_t clock, const timespec& limit) { by = clock, until = limit; }
  [[gnu::format(printf, 2, 3)]] void note(const char* format, ...) {
    char text[256];
    va_list words;
    va_start(words, format);
    std::vsnprintf(text, sizeof text, format, words);
    va_end(words);
    notes += std::string(" ") + text;
  }
};

using act = std::function<void(place&)>;
using call = std::function<long(place&)>;

/// One way to call a function.
struct way {
  std::string name;
  call run;
  act prepare{};  // by the driver, before there is a caller
  act begin{};    // by the caller, before the call
  act wake{};     // by the driver: the call can return. Without it the call returns by itself
  unsigned how = 0;
};
// How a function returns what went wrong.
enum class returns { error, minus_one, value, c11, nothing };
// What is so of a row, or of one way.
enum : unsigned {
  point = 1,            // a cancellation point, where it waits at least: nobody wakes a cancelled caller
  again = 2,            // wake() is called until the call returns
  never_restarts = 4,   // by a handler it ends, also with SA_RESTART [signal(7)]
  alone = 8,            // concerns the whole process: nothing else runs meanwhile
  no_child = 16,        // not in the child of a fork
  no_handler = 32,      // not in a handler
  no_cancel = 64,       // no experiments with cancellation: POSIX leaves open what becomes of it
  no_signals = 128,     // none with handlers that interrupt it
  once_only = 256,      // only as it is
  restarts_not = 512,   // a handler without SA_RESTART does not end it, either
};
struct row {
  const char* name;
  returns with;
  unsigned how;
  std::vector<way> ways;
  act state{};  // notes what has become of the object, by the caller; also where it is cancelled
};

using rows = std::vector<row>;
rows rows_of_mutexes();
rows rows_of_conditions();
rows rows_of_locks();
rows rows_of_semaphores();
rows rows_of_ends();
rows rows_of_reading();
rows rows_of_sleeping();
rows rows_of_signals();
rows rows_of_awaited_signals();
rows rows_of_children();
/// Those that `others` have not.
rows rows_of_the_rest(const rows& others);

// ---- time limits

constexpr double a_moment = 0.004;
inline timespec at(clockid_t clock, double seconds) {
  timespec now;
  clock_gettime(clock, &now);
  const long ns = now.tv_nsec + static_cast<long>(seconds * 1e9);
  return {now.tv_sec + ns / 1'000'000'000, ns % 1'000'000'000};
}
/// The set of this signal alone.
inline sigset_t only(int number) {
  sigset_t made;
  sigemptyset(&made);
  sigaddset(&made, number);
  return made;
}
inline timespec far(clockid_t clock) { return timespec{at(clock, 0).tv_sec + 1000, 0}; }

/// A function with a limit by that clock: at once and where it must wait, with every kind of limit. `free` and `busy` are
/// prepared by the driver; `busy_own` says that the caller prepares it.
struct limits {
  clockid_t clock;
  call run;  // with place::time
  act free{}, busy{}, begin{}, wake{};
  unsigned how = 0;
  bool hears_bad_ones = true;  // false: the C library says nothing of them
};
inline void add_limits(std::vector<way>& to, const limits& of, const std::string& kind = "") {
  const clockid_t clock = of.clock;
  const auto with = [begin = of.begin](timespec limit) -> act {
    return [begin, limit](place& p) {
      if (begin) begin(p);
      p.time = limit;
    };
  };
  const auto in_time = [begin = of.begin, clock](double seconds, bool kept) -> act {
    return [=](place& p) {
      if (begin) begin(p);
      p.time = at(clock, seconds);
      if (kept) p.keep(clock, p.time);
    };
  };
  if (of.free) {
    to.push_back({kind + "at once", of.run, of.free, in_time(1000, false), {}, of.how});
    to.push_back({kind + "at once, past limit", of.run, of.free, with({1, 0}), {}, of.how});
    to.push_back({kind + "at once, bad limit", of.run, of.free, with({1, 1'000'000'000}), {}, of.how});
  }
  to.push_back({kind + "limit", of.run, of.busy, in_time(a_moment, true), {}, of.how});
  to.push_back({kind + "past limit", of.run, of.busy, with({1, 0}), {}, of.how});
  to.push_back(
      {kind + "limit before 1970", of.run, of.busy, with({-1, 0}), {}, of.how | no_cancel});  // which comes first is open
  if (of.hears_bad_ones) to.push_back({kind + "bad limit", of.run, of.busy, with({1, 1'000'000'000}), {}, of.how});
  if (of.hears_bad_ones) to.push_back({kind + "negative limit", of.run, of.busy, with({1, -1}), {}, of.how});
  if (of.wake) to.push_back({kind + "woken before the limit", of.run, of.busy, in_time(1000, false), of.wake, of.how});
}
