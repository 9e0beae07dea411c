// Timed waits of the standard library: who wakes the waiting member may be on its processor.
#include "team.hpp"

#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <string>

namespace {

using namespace std::chrono_literals;
constexpr auto long_limit = 30s;
constexpr int rounds = 3;

/// Each in its turn, which it waits for.
template <class Wait, class Pass>
void go_round(Wait wait, Pass pass) {
  const double begin = now_s();
  team([&](int me) {
    for (int round = 0; round < rounds; ++round) {
      CHECK(wait(me, round * members + me));
      if (me % 3 == 0) compute(0.001);
      pass(me, round * members + me + 1);
    }
    meet();
  });
  CHECK(now_s() - begin < patience);
}

void condition_variable() {
  std::mutex mutex;
  std::condition_variable changed;
  int turn = 0;
  go_round([&](int, int expected) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, long_limit, [&] { return turn == expected; });
  }, [&](int, int next) {
    const std::lock_guard lock(mutex);
    turn = next;
    changed.notify_all();
  });
}

void condition_variable_until() {
  std::mutex mutex;
  std::condition_variable_any changed;
  int turn = 0;
  go_round([&](int, int expected) {
    std::unique_lock lock(mutex);
    return changed.wait_until(lock, std::chrono::system_clock::now() + long_limit, [&] { return turn == expected; });
  }, [&](int, int next) {
    const std::lock_guard lock(mutex);
    turn = next;
    changed.notify_all();
  });
}

void semaphores() {
  std::vector<std::unique_ptr<std::counting_semaphore<>>> turns;
  for (int i = 0; i < members; ++i) turns.push_back(std::make_unique<std::counting_semaphore<>>(i == 0));
  go_round([&](int me, int) { return turns[static_cast<std::size_t>(me)]->try_acquire_for(long_limit); },
           [&](int me, int) { turns[static_cast<std::size_t>((me + 1) % members)]->release(); });
}

// The holder computes, or waits for others, and all want it within the limit.
template <class Mutex>
void timed_mutex() {
  Mutex mutex;
  int inside = 0;
  team([&](int me) {
    for (int i = 0; i < 10; ++i) {
      const bool in_time = mutex.try_lock_for(long_limit);
      CHECK(in_time);
      if (!in_time) continue;
      ++inside;
      i % 2 == 0 ? compute(0.001) : sleep_for(0.0005);
      mutex.unlock();
    }
    meet();
    if (me == 0) mutex.lock();
    meet();
    if (me == 1) CHECK(!mutex.try_lock_for(30ms));
    meet();
    if (me == 0) mutex.unlock();
  });
  CHECK(inside == 10 * members);
}

void shared_mutex() {
  std::shared_timed_mutex mutex;
  std::atomic<int> readers{0};
  team([&](int me) {
    CHECK(mutex.try_lock_shared_for(long_limit));
    ++readers;
    CHECK(within(patience, [&] { return readers == members; }));  // all at once
    meet();
    if (me == 0) CHECK(!mutex.try_lock());
    meet();
    mutex.unlock_shared();
    CHECK(mutex.try_lock_for(long_limit));
    mutex.unlock();
  });
}

void futures() {
  std::vector<std::promise<int>> promises(static_cast<std::size_t>(members));
  team([&](int me) {
    auto mine_to_be = promises[static_cast<std::size_t>(me)].get_future();
    meet();
    if (me % 2 == 0) compute(0.002);
    promises[static_cast<std::size_t>((me + 1) % members)].set_value(me);
    CHECK(mine_to_be.wait_for(long_limit) == std::future_status::ready);
    CHECK(mine_to_be.get() == (me + members - 1) % members);
  });
}

struct row {
  const char* name;
  void (*run)();
};
const row rows[] = {
    {"condition_variable::wait_for", condition_variable},
    {"condition_variable_any::wait_until", condition_variable_until},
    {"counting_semaphore::try_acquire_for", semaphores},
    {"timed_mutex", timed_mutex<std::timed_mutex>},
    {"recursive_timed_mutex", timed_mutex<std::recursive_timed_mutex>},
    {"shared_timed_mutex", shared_mutex},
    {"future::wait_for", futures},
};

}  // namespace

int main() {
  for (const row& entry : rows) {
    subject(entry.name, entry.run);
    subject((std::string(entry.name) + " on one processor").c_str(), [&] {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(sched_getcpu(), &one);
      CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
      entry.run();
    });
  }
  return verdict();
}
