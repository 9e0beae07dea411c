// Threads of C11, and what they wait for.
#include "threads.hpp"

#include <threads.h>

#include "../../openmp/driving_thread.h"

namespace {

thrd_t start_c11(std::function<int()> run) {
  thrd_t thread{};
  CHECK(thrd_create(&thread, [](void* what) {
    const std::function<int()> run_it = std::move(*static_cast<std::function<int()>*>(what));
    delete static_cast<std::function<int()>*>(what);
    return run_it();
  }, new std::function<int()>(std::move(run))) == thrd_success);
  return thread;
}

class mutex {
 public:
  explicit mutex(int type = mtx_plain) { CHECK(mtx_init(&mutex_, type) == thrd_success); }
  mutex(const mutex&) = delete;
  ~mutex() { mtx_destroy(&mutex_); }
  operator mtx_t*() { return &mutex_; }

 private:
  mtx_t mutex_;
};

int lock_in_time(mtx_t* m) {
  const timespec limit = in(patience);
  return mtx_timedlock(m, &limit);
}
int try_until_locked(mtx_t* m) {
  int result;
  while ((result = mtx_trylock(m)) == thrd_busy) thrd_yield();
  return result;
}

/// One at a time, by each way to lock.
void mutexes() {
  for (const int type : {mtx_plain | 0, mtx_timed | 0, mtx_plain | mtx_recursive, mtx_timed | mtx_recursive}) {
    mutex m(type);
    int inside = 0, count = 0;
    team([&](int me) {
      int (*const ways[])(mtx_t*) = {mtx_lock, mtx_lock, lock_in_time, try_until_locked};
      for (int i = 0; i < 500; ++i) {
        CHECK(ways[(i + me) % 4](m) == thrd_success);
        CHECK(inside++ == 0);
        if ((type & mtx_recursive) != 0) CHECK(mtx_lock(m) == thrd_success && mtx_unlock(m) == thrd_success);
        ++count;
        if (i % 100 == me) thrd_yield();
        --inside;
        CHECK(mtx_unlock(m) == thrd_success);
      }
    });
    CHECK(count == 500 * members);
  }
}

bool is_timed_out(const std::function<int(const timespec*)>& wait, double seconds) {
  return is_late(thrd_timedout, CLOCK_REALTIME, wait, seconds);
}

void time_limits() {
  mutex taken(mtx_timed), own;
  cnd_t never;
  CHECK(cnd_init(&never) == thrd_success && mtx_lock(taken) == thrd_success);
  team([&](int) {
    CHECK(mtx_trylock(taken) == thrd_busy && mtx_timedlock(taken, &no_time) == thrd_error);
    for (const double limit : {0.02, 0.0, -1.0}) {
      CHECK(is_timed_out([&](auto* t) { return mtx_timedlock(taken, t); }, limit));
      CHECK(mtx_lock(own) == thrd_success);
      CHECK(is_timed_out([&](auto* t) {
        int result;
        do result = cnd_timedwait(&never, own, t); while (result == thrd_success);
        return result;
      }, limit));
      CHECK(mtx_trylock(own) == thrd_busy);
      CHECK(mtx_unlock(own) == thrd_success);
    }
    const timespec pause{0, 2'000'000};
    CHECK(is_late(0, CLOCK_MONOTONIC, [&](auto*) { return thrd_sleep(&pause, nullptr); }, 0.002));
    CHECK(thrd_sleep(&no_time, nullptr) < -1);
  });
  CHECK(mtx_unlock(taken) == thrd_success);
  cnd_destroy(&never);
}

/// Each in its turn; each way to wait, and to wake.
void conditions() {
  cnd_t changed, next;
  CHECK(cnd_init(&changed) == thrd_success && cnd_init(&next) == thrd_success);
  mutex m;
  constexpr int rounds = 300;
  int turn = 0, tokens = 1;
  team([&](int me) {
    for (int i = 0; i < rounds; ++i) {
      const timespec limit = in(patience);
      CHECK(mtx_lock(m) == thrd_success);
      while (turn != i * members + me)
        CHECK((i % 2 == 0 ? cnd_wait(&changed, m) : cnd_timedwait(&changed, m, &limit)) == thrd_success);
      CHECK(mtx_trylock(m) == thrd_busy);
      ++turn;
      CHECK(cnd_broadcast(&changed) == thrd_success && mtx_unlock(m) == thrd_success);
    }
    for (int i = 0; i < rounds; ++i) {
      CHECK(mtx_lock(m) == thrd_success);
      while (tokens == 0) CHECK(cnd_wait(&next, m) == thrd_success);
      --tokens;
      CHECK(mtx_unlock(m) == thrd_success);
      if (i % 10 == me) thrd_yield();
      CHECK(mtx_lock(m) == thrd_success);
      ++tokens;
      CHECK(cnd_signal(&next) == thrd_success && mtx_unlock(m) == thrd_success);
    }
  });
  CHECK(turn == rounds * members && tokens == 1);
  cnd_destroy(&changed), cnd_destroy(&next);
}

void once() {
  static std::atomic<int> times{0};
  for (int i = 0; i < 100; ++i) {
    once_flag once = ONCE_FLAG_INIT;
    const int before = times;
    team([&](int) {
      call_once(&once, [] {
        thrd_yield();
        ++times;
      });
      CHECK(times == before + 1);
    });
  }
}

/// What they return, or say where they end, comes to those that join them.
void threads() {
  const others so_many;
  for (int i = 0; i < 200; ++i) {
    std::atomic<bool> ends{false};
    const thrd_t returns = start_c11([&] {
      while (!ends) thrd_yield();
      return -i;
    });
    const thrd_t exits = start_c11([i]() -> int { thrd_exit(i); });
    CHECK(thrd_equal(returns, exits) == 0 && thrd_equal(returns, returns) != 0);
    const thrd_t joins = start_c11([&] {
      int result = 1;
      return CHECK(thrd_join(returns, &result) == thrd_success && result == -i), result;
    });
    int result = -1;
    CHECK(thrd_join(exits, &result) == thrd_success && result == i);
    ends = true;
    CHECK(thrd_join(joins, nullptr) == thrd_success);
  }
  CHECK(thrd_join(thrd_current(), nullptr) == thrd_error);
  std::atomic<int> ended{0};
  for (int i = 0; i < 50; ++i) CHECK(thrd_detach(start_c11([&] { return ++ended, 0; })) == thrd_success);
  CHECK(soon([&] { return ended == 50; }));
}

/// Those that wait for each other by these functions alone are members in the end.
void members_by_waiting() {
  sigset_t of_ticks;  // so that nobody is called in
  sigemptyset(&of_ticks);
  sigaddset(&of_ticks, SIGURG);
  pthread_sigmask(SIG_BLOCK, &of_ticks, nullptr);
  constexpr int rounds = 1000;
  const int many = static_cast<int>(2 * std::thread::hardware_concurrency() + 1);
  cnd_t changed;
  CHECK(cnd_init(&changed) == thrd_success);
  mutex m;
  int turn = 0;
  std::atomic<int> of_processors{0};
  std::vector<thrd_t> threads;
  for (int me = 0; me < many; ++me)
    threads.push_back(start_c11([&, me] {
      for (int i = 0; i < rounds; ++i) {
        CHECK(mtx_lock(m) == thrd_success);
        while (turn % many != me) CHECK(cnd_wait(&changed, m) == thrd_success);
        if (i + 10 == rounds && driving_thread() != gettid()) ++of_processors;
        ++turn;
        CHECK(cnd_broadcast(&changed) == thrd_success && mtx_unlock(m) == thrd_success);
      }
      return 0;
    }));
  for (const thrd_t each : threads) CHECK(thrd_join(each, nullptr) == thrd_success);
  const char* const kind = std::getenv("WEIR_THREADS");
  const bool are_members = kind != nullptr && std::string(kind) == "all";
  // Beside threads that poll, those of auto become members at some time.
  if (are_members || !beside_spinning) CHECK((of_processors != 0) == are_members);
  cnd_destroy(&changed);
}

const subject subjects[] = {{"mutexes", mutexes}, {"time limits", time_limits}, {"conditions", conditions},
                            {"once", once},       {"threads", threads},         {"members by waiting", members_by_waiting}};

}  // namespace

int main() { return run_all(subjects); }
