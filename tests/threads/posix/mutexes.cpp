// Mutexes of each kind, and spin locks.
#include "threads.hpp"

#include <sys/mman.h>

namespace {

/// A mutex with attributes, in memory of its own that children share.
class mutex {
 public:
  template <class Set>
  explicit mutex(Set set) {
    pthread_mutexattr_t how;
    pthread_mutexattr_init(&how);
    set(&how);
    CHECK(pthread_mutex_init(shared_mutex_, &how) == 0);
    pthread_mutexattr_destroy(&how);
  }
  mutex() : mutex([](pthread_mutexattr_t*) {}) {}
  mutex(const mutex&) = delete;
  ~mutex() {
    CHECK(pthread_mutex_destroy(shared_mutex_) == 0);
    munmap(shared_mutex_, sizeof *shared_mutex_);
  }
  operator pthread_mutex_t*() const { return shared_mutex_; }

 private:
  pthread_mutex_t* const shared_mutex_ = static_cast<pthread_mutex_t*>(
      mmap(nullptr, sizeof(pthread_mutex_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
};

constexpr auto of_type(int type) {
  return [type](pthread_mutexattr_t* how) { CHECK(pthread_mutexattr_settype(how, type) == 0); };
}
constexpr auto robust = [](pthread_mutexattr_t* how) { CHECK(pthread_mutexattr_setrobust(how, PTHREAD_MUTEX_ROBUST) == 0); };
constexpr auto shared = [](pthread_mutexattr_t* how) {
  CHECK(pthread_mutexattr_setpshared(how, PTHREAD_PROCESS_SHARED) == 0);
};

int lock_in_time(pthread_mutex_t* m) {
  const timespec limit = in(patience);
  return pthread_mutex_timedlock(m, &limit);
}
int clock_lock_in_time(pthread_mutex_t* m) {
  const timespec limit = in(patience, CLOCK_MONOTONIC);
  return pthread_mutex_clocklock(m, CLOCK_MONOTONIC, &limit);
}
int try_until_locked(pthread_mutex_t* m) {
  int error;
  while ((error = pthread_mutex_trylock(m)) == EBUSY) sched_yield();
  return error;
}

/// One at a time, by each way to lock.
void excludes(pthread_mutex_t* m) {
  constexpr int rounds = 1200;
  int inside = 0, count = 0;
  team([&](int me) {
    for (int i = 0; i < rounds; ++i) {
      int (*const ways[])(pthread_mutex_t*) = {pthread_mutex_lock, pthread_mutex_lock, lock_in_time, clock_lock_in_time,
                                               try_until_locked};
      CHECK(ways[(i + me) % 5](m) == 0);
      CHECK(inside++ == 0);
      ++count;
      if (i % 100 == me) sched_yield();
      if (i % 400 == me) sleep_for(0.0002);
      --inside;
      CHECK(pthread_mutex_unlock(m) == 0);
    }
  });
  CHECK(count == rounds * members);
}
void normal() { excludes(mutex{}); }
void adaptive() { excludes(mutex{of_type(PTHREAD_MUTEX_ADAPTIVE_NP)}); }

void recursive() {
  const mutex m{of_type(PTHREAD_MUTEX_RECURSIVE)};
  excludes(m);
  int inside = 0;
  team([&](int) {
    for (int i = 0; i < 500; ++i) {
      CHECK(pthread_mutex_lock(m) == 0 && pthread_mutex_trylock(m) == 0 && lock_in_time(m) == 0);
      CHECK(inside++ == 0);
      if (i % 50 == 0) sched_yield();
      CHECK(pthread_mutex_unlock(m) == 0 && pthread_mutex_unlock(m) == 0);
      sched_yield();
      CHECK(--inside == 0);
      CHECK(pthread_mutex_unlock(m) == 0);
    }
  });
}

void error_checking() {
  const mutex m{of_type(PTHREAD_MUTEX_ERRORCHECK)};
  excludes(m);
  meeting here;
  team([&](int me) {
    if (me == 0) CHECK(pthread_mutex_lock(m) == 0);
    here.arrive();
    if (me == 0) {
      const timespec limit = in(patience);
      CHECK(pthread_mutex_lock(m) == EDEADLK && pthread_mutex_timedlock(m, &limit) == EDEADLK);
      CHECK(pthread_mutex_trylock(m) == EBUSY);
    } else {
      CHECK(pthread_mutex_unlock(m) == EPERM && pthread_mutex_trylock(m) == EBUSY);
      CHECK(is_late(ETIMEDOUT, CLOCK_REALTIME, [&](auto* t) { return pthread_mutex_timedlock(m, t); }));
    }
    here.arrive();
    if (me == 0) CHECK(pthread_mutex_unlock(m) == 0 && pthread_mutex_unlock(m) == EPERM);
  });
}

/// The owner ends; the next ones are told, until one makes it consistent.
void robust_ones() {
  const mutex m{robust};
  excludes(m);
  const others beside;
  for (int i = 0; i < 20; ++i) {
    std::atomic<bool> has_it{false};
    const pthread_t owner = start([&]() -> void* {
      CHECK(pthread_mutex_lock(m) == 0);
      has_it = true;
      sleep_for(i % 2 == 0 ? 0.002 : 0);
      return nullptr;
    });
    CHECK(soon([&] { return has_it.load(); }));
    CHECK(pthread_mutex_lock(m) == EOWNERDEAD);
    CHECK(pthread_mutex_consistent(m) == 0 && pthread_mutex_unlock(m) == 0);
    result_of(owner);
  }
  result_of(start([&]() -> void* { return CHECK(pthread_mutex_lock(m) == 0), nullptr; }));
  CHECK(pthread_mutex_trylock(m) == EOWNERDEAD && pthread_mutex_unlock(m) == 0);
  CHECK(pthread_mutex_lock(m) == ENOTRECOVERABLE && pthread_mutex_trylock(m) == ENOTRECOVERABLE);
}

void shared_by_processes() {
  const mutex m{shared};
  auto* const count = static_cast<int*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  constexpr int rounds = 2000;
  const auto add_all = [&] {
    for (int i = 0; i < rounds; ++i) {
      CHECK(pthread_mutex_lock(m) == 0);
      ++*count;
      if (i % 200 == 0) sleep_for(0.0001);
      CHECK(pthread_mutex_unlock(m) == 0);
    }
  };
  const others beside;
  const pthread_t forks = start([&] { return child(add_all), nullptr; });
  team([&](int) { add_all(); });
  result_of(forks);
  CHECK(*count == (members + 1) * rounds);
}

#if defined(__GLIBC__)
/// Debuggers show who has a mutex by the number in it.
void owners() {
  const auto is_right = [] {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    CHECK(pthread_mutex_lock(&mutex) == 0);
    CHECK(mutex.__data.__owner == gettid());
    CHECK(pthread_mutex_unlock(&mutex) == 0 && mutex.__data.__owner == 0);
  };
  team([&](int me) {
    is_right();
    if (me == 0) child(is_right);
  });
}
#else
void owners() {}
#endif

void priority_protecting() {
  excludes(mutex{[](pthread_mutexattr_t* how) {
    CHECK(pthread_mutexattr_setprotocol(how, PTHREAD_PRIO_PROTECT) == 0);
    CHECK(pthread_mutexattr_setprioceiling(how, sched_get_priority_min(SCHED_FIFO)) == 0 || true);
    pthread_mutexattr_setprotocol(how, PTHREAD_PRIO_NONE);  // a ceiling takes a privilege
  }});
}
void priority_inheriting() {
  const others beside;  // members before the first such mutex
  const mutex m{[](pthread_mutexattr_t* how) { CHECK(pthread_mutexattr_setprotocol(how, PTHREAD_PRIO_INHERIT) == 0); }};
  excludes(m);
  CHECK(pthread_mutex_lock(m) == 0);
  result_of(start([&]() -> void* {
    CHECK(pthread_mutex_trylock(m) == EBUSY);
    CHECK(is_late(ETIMEDOUT, CLOCK_REALTIME, [&](auto* t) { return pthread_mutex_timedlock(m, t); }));
    return nullptr;
  }));
  CHECK(pthread_mutex_unlock(m) == 0);
}

void time_limits() {
  const mutex m;
  meeting here;
  team([&](int me) {
    if (me == 0) CHECK(pthread_mutex_lock(m) == 0);
    here.arrive();
    if (me == 0) {
      if (members > 1) compute(0.01);
    } else {
      for (const double limit : {0.03, 0.0, -1.0}) {
        CHECK(is_late(ETIMEDOUT, CLOCK_REALTIME, [&](auto* t) { return pthread_mutex_timedlock(m, t); }, limit));
        for (const clockid_t by : {CLOCK_REALTIME, CLOCK_MONOTONIC})
          CHECK(is_late(ETIMEDOUT, by, [&](auto* t) { return pthread_mutex_clocklock(m, by, t); }, limit));
      }
      const timespec before_all{-1, 0}, valid = in(patience);
      CHECK(pthread_mutex_timedlock(m, &before_all) == ETIMEDOUT && pthread_mutex_timedlock(m, &no_time) == EINVAL);
      CHECK(pthread_mutex_clocklock(m, CLOCK_PROCESS_CPUTIME_ID, &valid) == EINVAL);
    }
    here.arrive();
    if (me == 0) CHECK(pthread_mutex_unlock(m) == 0 && pthread_mutex_timedlock(m, &no_time) == 0 && pthread_mutex_unlock(m) == 0);
  });
}

/// Locks that time out, and locks that do not, all at once: none is lost.
void hurried_and_patient() {
  const mutex m;
  std::atomic<int> late{0}, taken{0};
  team([&](int me) {
    for (int i = 0; i < 300; ++i) {
      const timespec limit = in(me % 2 == 0 ? 0.0001 * (i % 4) : patience);
      const int error = pthread_mutex_timedlock(m, &limit);
      if (error == ETIMEDOUT && me % 2 == 0) {
        ++late;
        continue;
      }
      CHECK(error == 0);
      ++taken;
      if (i % 10 == 0) sleep_for(0.0003);
      CHECK(pthread_mutex_unlock(m) == 0);
    }
  });
  CHECK(late + taken == 300 * members);
}

void spin_locks() {
  pthread_spinlock_t lock;
  CHECK(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE) == 0);
  int inside = 0, count = 0;
  team([&](int me) {
    for (int i = 0; i < 500; ++i) {
      if (i % 5 == 4) {
        while (pthread_spin_trylock(&lock) == EBUSY) sched_yield();
      } else {
        CHECK(pthread_spin_lock(&lock) == 0);
      }
      CHECK(inside++ == 0);
      ++count;
      if (i % 50 == me) sched_yield();
      --inside;
      CHECK(pthread_spin_unlock(&lock) == 0);
    }
  });
  CHECK(count == 500 * members && pthread_spin_destroy(&lock) == 0);
}

const subject subjects[] = {{"normal", normal},
                            {"adaptive", adaptive},
                            {"recursive", recursive},
                            {"error checking", error_checking},
                            {"robust", robust_ones},
                            {"shared by processes", shared_by_processes},
                            {"owners", owners},
                            {"priority protecting", priority_protecting},
                            {"priority inheriting", priority_inheriting},
                            {"time limits", time_limits},
                            {"hurried and patient", hurried_and_patient},
                            {"spin locks", spin_locks}};

}  // namespace

int main() { return run_all(subjects); }
