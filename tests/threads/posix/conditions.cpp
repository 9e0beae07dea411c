// Condition variables and read-write locks.
#include "threads.hpp"

#include <algorithm>

#include <sys/mman.h>

namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

template <class Set>
void make(pthread_cond_t& c, Set set) {
  pthread_condattr_t how;
  pthread_condattr_init(&how);
  set(&how);
  CHECK(pthread_cond_init(&c, &how) == 0);
  pthread_condattr_destroy(&how);
}

/// Each in its turn; each way to wait, and to wake.
void turns() {
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  constexpr int rounds = 300;
  int turn = 0;
  team([&](int me) {
    for (int i = 0; i < rounds; ++i) {
      CHECK(pthread_mutex_lock(&mutex) == 0);
      while (turn != i * members + me) {
        const timespec limit = in(patience), monotonic = in(patience, CLOCK_MONOTONIC);
        const int error = i % 3 == 0   ? pthread_cond_wait(&changed, &mutex)
                          : i % 3 == 1 ? pthread_cond_timedwait(&changed, &mutex, &limit)
                                       : pthread_cond_clockwait(&changed, &mutex, CLOCK_MONOTONIC, &monotonic);
        CHECK(error == 0 && pthread_mutex_trylock(&mutex) == EBUSY);
      }
      ++turn;
      if (i % 2 == 0) CHECK(pthread_cond_broadcast(&changed) == 0);
      CHECK(pthread_mutex_unlock(&mutex) == 0);
      if (i % 2 != 0) CHECK(pthread_cond_broadcast(&changed) == 0);
    }
  });
  CHECK(turn == rounds * members && pthread_cond_destroy(&changed) == 0);
}

/// Where the mutex and the condition lie does not matter: who waits sleeps.
void wherever_they_lie() {
  constexpr std::size_t words = 512, apart = 8;
  alignas(4096) static std::uint64_t page[words];
  auto* const own_mutex = reinterpret_cast<pthread_mutex_t*>(page);
  CHECK(pthread_mutex_init(own_mutex, nullptr) == 0);
  const others so_many;
  for (std::size_t at = apart; at < words; at += apart) {
    auto* const c = reinterpret_cast<pthread_cond_t*>(&page[at]);
    CHECK(pthread_cond_init(c, nullptr) == 0);
    const timespec limit = in(0.001);
    int returns = 0;
    CHECK(pthread_mutex_lock(own_mutex) == 0);
    while (pthread_cond_timedwait(c, own_mutex, &limit) != ETIMEDOUT) ++returns;
    CHECK(returns < 20 && pthread_mutex_unlock(own_mutex) == 0 && pthread_cond_destroy(c) == 0);
  }
}

/// A queue with room for two: one signal for each change, and none is lost.
void signals() {
  pthread_cond_t room = PTHREAD_COND_INITIALIZER, some = PTHREAD_COND_INITIALIZER;
  constexpr int each = 2000;
  int in_queue = 0, taken = 0;
  team([&](int me) {
    for (int i = 0; i < each; ++i) {
      CHECK(pthread_mutex_lock(&mutex) == 0);
      if (me % 2 == 0) {
        while (in_queue == 2) CHECK(pthread_cond_wait(&room, &mutex) == 0);
        ++in_queue;
        CHECK(pthread_cond_signal(&some) == 0);
      } else {
        while (in_queue == 0) CHECK(pthread_cond_wait(&some, &mutex) == 0);
        --in_queue;
        ++taken;
        CHECK(pthread_cond_signal(&room) == 0);
      }
      CHECK(pthread_mutex_unlock(&mutex) == 0);
    }
  });
  CHECK(taken == each * members / 2 && in_queue == 0);
}

void time_limits() {
  pthread_cond_t never = PTHREAD_COND_INITIALIZER, monotonic;
  make(monotonic, [](pthread_condattr_t* how) { CHECK(pthread_condattr_setclock(how, CLOCK_MONOTONIC) == 0); });
  pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
  team([&](int) {
    pthread_mutex_lock(&own);
    const auto until = [&](auto wait) {
      return [&own, wait](const timespec* t) {
        int error;
        do error = wait(t); while (error == 0);  // it may wake for no reason
        CHECK(pthread_mutex_trylock(&own) == EBUSY);
        return error;
      };
    };
    for (const double limit : {0.02, 0.0, -1.0}) {
      CHECK(is_late(ETIMEDOUT, CLOCK_REALTIME, until([&](auto* t) { return pthread_cond_timedwait(&never, &own, t); }), limit));
      CHECK(is_late(ETIMEDOUT, CLOCK_MONOTONIC, until([&](auto* t) { return pthread_cond_timedwait(&monotonic, &own, t); }),
                    limit));
      for (const clockid_t by : {CLOCK_REALTIME, CLOCK_MONOTONIC})
        CHECK(is_late(ETIMEDOUT, by, until([&](auto* t) { return pthread_cond_clockwait(&never, &own, by, t); }), limit));
    }
    const timespec valid = in(patience);
    CHECK(pthread_cond_timedwait(&never, &own, &no_time) == EINVAL);
    CHECK(pthread_cond_clockwait(&never, &own, CLOCK_PROCESS_CPUTIME_ID, &valid) == EINVAL);
    CHECK(pthread_mutex_unlock(&own) == 0);
  });
}

/// A thread that is signalled before its limit sees the signal, though it runs after the limit, because others compute until
/// then.
void a_signal_in_time_counts_for_who_runs_late() {
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
  meeting begin, end;
  bool waits = false;
  std::atomic<bool> computes{false};
  std::atomic<double> limit_s{0};
  team([&](int me) {
    for (int round = 0; round < 40; ++round) {
      begin.arrive();
      bool in_time = false;
      if (me == 0) {
        limit_s = now_s() + 0.004;
        const timespec limit = timespec_of(limit_s);
        CHECK(pthread_mutex_lock(&own) == 0);
        waits = true;
        const int error = pthread_cond_clockwait(&changed, &own, CLOCK_MONOTONIC, &limit);
        waits = false;
        CHECK(error == 0 || !computes);
        CHECK(pthread_mutex_unlock(&own) == 0);
      } else if (me == 1) {
        for (bool is_over = false; !is_over; sched_yield()) {
          CHECK(pthread_mutex_lock(&own) == 0);
          if (waits) {
            CHECK(pthread_cond_signal(&changed) == 0);
            in_time = now_s() < limit_s;
            computes = in_time;
          }
          is_over = in_time || (limit_s != 0 && now_s() > limit_s);
          CHECK(pthread_mutex_unlock(&own) == 0);
        }
      } else {
        while (!computes && (limit_s == 0 || now_s() < limit_s)) sched_yield();
      }
      if (me != 0 && computes) compute(limit_s + 0.0005 - now_s());
      end.arrive();
      if (me == 0) computes = false, limit_s = 0;
    }
  });
}

/// Whichever waits first or longest, each sees its own limit.
void limits_in_every_order() {
  pthread_cond_t never = PTHREAD_COND_INITIALIZER;
  const others so_many;
  int order[] = {0, 1, 2};
  do {
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    std::atomic<int> waiting{0};
    std::atomic<bool> is_over[3] = {}, may_end{false};
    std::vector<pthread_t> threads;
    for (const int each : order) {
      threads.push_back(start([&, each] {
        pthread_mutex_lock(&own);
        for (int i = 0; i < 4; ++i) {  // who has slept a few times becomes a member
          const timespec soon_over = in(0.0005);
          pthread_cond_timedwait(&never, &own, &soon_over);
        }
        const timespec limit = in(each == 0 ? 3 * patience : each * 0.02);
        ++waiting;
        while (!may_end && pthread_cond_timedwait(&never, &own, &limit) == 0) {
        }
        pthread_mutex_unlock(&own);
        is_over[each] = true;
        return nullptr;
      }));
      CHECK(soon([&] { return waiting == static_cast<int>(threads.size()); }));
    }
    CHECK(soon([&] { return is_over[1] && is_over[2]; }) && !is_over[0]);
    pthread_mutex_lock(&own);
    may_end = true;
    pthread_cond_broadcast(&never);
    pthread_mutex_unlock(&own);
    for (const pthread_t each : threads) result_of(each);
  } while (std::next_permutation(std::begin(order), std::end(order)));
}

struct of_processes {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int turn;
};
void shared_by_processes() {
  auto& objects = *static_cast<of_processes*>(mmap(nullptr, sizeof(of_processes), PROT_READ | PROT_WRITE,
                                               MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  pthread_mutexattr_t how;
  pthread_mutexattr_init(&how);
  pthread_mutexattr_setpshared(&how, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&objects.mutex, &how);
  make(objects.changed, [](pthread_condattr_t* a) { CHECK(pthread_condattr_setpshared(a, PTHREAD_PROCESS_SHARED) == 0); });
  const auto play = [&](int me) {
    for (int i = 0; i < 500; ++i) {
      CHECK(pthread_mutex_lock(&objects.mutex) == 0);
      while (objects.turn % 2 != me) CHECK(pthread_cond_wait(&objects.changed, &objects.mutex) == 0);
      ++objects.turn;
      CHECK(pthread_cond_signal(&objects.changed) == 0 && pthread_mutex_unlock(&objects.mutex) == 0);
    }
  };
  const others so_many;
  const pthread_t forks = start([&] { return child([&] { play(1); }), nullptr; });
  result_of(start([&] { return play(0), nullptr; }));
  result_of(forks);
  CHECK(objects.turn == 1000);
}

void readers_and_writers() {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  std::atomic<int> readers{0}, writers{0};
  team([&](int me) {
    for (int i = 0; i < 1000; ++i) {
      const timespec limit = in(patience), monotonic = in(patience, CLOCK_MONOTONIC);
      const bool writes = (i + me) % 4 == 0;
      if (writes) {
        CHECK((i % 3 == 0   ? pthread_rwlock_wrlock(&lock)
               : i % 3 == 1 ? pthread_rwlock_timedwrlock(&lock, &limit)
                            : pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &monotonic)) == 0);
        CHECK(++writers == 1 && readers == 0);
        if (i % 50 == 0) sched_yield();
        --writers;
      } else {
        CHECK((i % 3 == 0   ? pthread_rwlock_rdlock(&lock)
               : i % 3 == 1 ? pthread_rwlock_timedrdlock(&lock, &limit)
                            : pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &monotonic)) == 0);
        ++readers;
        CHECK(writers == 0);
        if (i % 50 == 0) sched_yield();
        --readers;
      }
      CHECK(pthread_rwlock_unlock(&lock) == 0);
    }
  });
  // All read at once; then the writer is told that it would wait for itself.
  meeting here;
  team([&](int me) {
    CHECK(pthread_rwlock_rdlock(&lock) == 0);
    here.arrive();
    CHECK(pthread_rwlock_trywrlock(&lock) == EBUSY && pthread_rwlock_tryrdlock(&lock) == 0);
    CHECK(is_late(ETIMEDOUT, CLOCK_REALTIME, [&](auto* t) { return pthread_rwlock_timedwrlock(&lock, t); }));
    here.arrive();
    CHECK(pthread_rwlock_unlock(&lock) == 0 && pthread_rwlock_unlock(&lock) == 0);
    here.arrive();
    if (me == 0) {
      CHECK(pthread_rwlock_wrlock(&lock) == 0);
      CHECK(pthread_rwlock_wrlock(&lock) == EDEADLK && pthread_rwlock_rdlock(&lock) == EDEADLK);
    }
    here.arrive();
    if (me != 0) {
      CHECK(is_late(ETIMEDOUT, CLOCK_REALTIME, [&](auto* t) { return pthread_rwlock_timedrdlock(&lock, t); }));
      CHECK(is_late(ETIMEDOUT, CLOCK_MONOTONIC, [&](auto* t) { return pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, t); }));
      CHECK(pthread_rwlock_timedrdlock(&lock, &no_time) == EINVAL);
    }
    here.arrive();
    if (me == 0) CHECK(pthread_rwlock_unlock(&lock) == 0);
  });
}

const subject subjects[] = {{"turns", turns},
                            {"wherever they lie", wherever_they_lie},
                            {"signals", signals},
                            {"time limits", time_limits},
                            {"a signal in time counts for who runs late", a_signal_in_time_counts_for_who_runs_late},
                            {"limits in every order", limits_in_every_order},
                            {"shared by processes", shared_by_processes},
                            {"readers and writers", readers_and_writers}};

}  // namespace

int main() { return run_all(subjects); }
