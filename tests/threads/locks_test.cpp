// Weir's mutex, condition and semaphore, between members of a crowd, and between members and other threads. In a lock of the
// standard library, members would keep the processor until their quanta end.
#include <weir/locks.hpp>

#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../retries.hpp"
#if !defined(__SANITIZE_THREAD__)
#include "members.hpp"
#endif

namespace {

/// All do this at the same time: threads, members, or some of both.
struct a_crowd {
  unsigned members, threads, processors;
  template <class What>
  void run(What what) const {
    std::vector<std::thread> beside;
    for (unsigned t = 0; t < threads; ++t) beside.emplace_back([&what, this, t] { what(members + t); });
#if !defined(__SANITIZE_THREAD__)
    if (members > 0) weir::crowd(members, [&](unsigned m) { what(m); }, {.processors = processors}).join();
#endif
    for (auto& t : beside) t.join();
  }
  unsigned contenders() const { return members + threads; }
};

class Locks : public testing::TestWithParam<a_crowd> {};

TEST_P(Locks, WhoHoldsTheMutexIsAlone) {
  weir::mutex mutex;
  unsigned long count = 0, tries = 0;
  GetParam().run([&](unsigned) {
    for (int i = 0; i < 300; ++i) {
      {
        const std::lock_guard lock(mutex);
        const auto before = count;
        if (i % 10 == 0) std::this_thread::yield();
        count = before + 1;
      }
      if (std::unique_lock lock(mutex, std::try_to_lock); lock.owns_lock()) {
        ++count;
        ++tries;
      }
    }
  });
  EXPECT_EQ(count, 300 * GetParam().contenders() + tries);
}

/// Of threads that all wait for a mutex and release it.
long voluntary_switches(int threads) {
  const auto switches = [] {
    rusage used;
    getrusage(RUSAGE_THREAD, &used);
    return used.ru_nvcsw;
  };
  weir::mutex mutex;
  std::atomic<int> begun{0};
  std::atomic<long> all_switches{0};
  std::vector<std::thread> started;
  mutex.lock();
  for (int t = 0; t < threads; ++t)
    started.emplace_back([&] {
      ++begun;
      const long before = switches();
      mutex.lock();
      usleep(200);
      mutex.unlock();
      all_switches += switches() - before;
    });
  while (begun < threads) usleep(1000);
  usleep(30000);  // until they sleep: who comes later finds fewer to be woken
  mutex.unlock();
  for (auto& t : started) t.join();
  return all_switches;
}

// A sleep at the mutex, and one under it. Where each release wakes all, they are half of the threads' square.
TEST(LocksWake, OneAtARelease) {
  constexpr int threads = 16, few = 4 * threads;
  EXPECT_TRUE(retries::holds("locks: overtaken", 5, [] { return voluntary_switches(threads) < few; }));
}

TEST_P(Locks, AQueueHandsOnWhatIsPutIntoIt) {
  constexpr unsigned items = 200;
  weir::mutex mutex;
  weir::condition not_empty, not_full;
  std::deque<unsigned> queue;
  unsigned long sum = 0, expected = 0;
  const unsigned pairs = GetParam().contenders() / 2;
  GetParam().run([&](unsigned m) {
    if (m / 2 >= pairs) return;
    for (unsigned i = 0; i < items; ++i) {
      std::unique_lock lock(mutex);
      if (m % 2 == 0) {
        not_full.wait(lock, [&] { return queue.size() < 3; });
        queue.push_back(m + i);
        expected += m + i;
        not_empty.notify_one();
      } else {
        not_empty.wait(lock, [&] { return !queue.empty(); });
        sum += queue.front();
        queue.pop_front();
        lock.unlock();
        not_full.notify_all();
      }
    }
  });
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(sum, expected);
}

TEST_P(Locks, NoMoreAreInsideThanThereAreUnits) {
  weir::semaphore units(2);
  std::atomic<int> inside{0}, most{0};
  GetParam().run([&](unsigned) {
    for (int i = 0; i < 200; ++i) {
      units.acquire();
      const int now = ++inside;
      if (now > 2) most = now;
      if (i % 10 == 0) std::this_thread::yield();
      --inside;
      units.release();
    }
  });
  EXPECT_EQ(most, 0);
  EXPECT_TRUE(units.try_acquire());
  EXPECT_TRUE(units.try_acquire());
  EXPECT_FALSE(units.try_acquire());
}

TEST_P(Locks, UnitsReleasedAtOnceReachAllThatWait) {
  weir::semaphore begin(0), end(0);
  const unsigned others = GetParam().contenders() - 1;
  unsigned seen = 0;
  std::atomic<int> wrong{0};
  GetParam().run([&](unsigned m) {
    for (unsigned round = 1; round <= 50; ++round) {
      if (m == 0) {
        seen = round;
        begin.release(others);
        for (unsigned o = 0; o < others; ++o) end.acquire();
      } else {
        begin.acquire();
        // Another one may take two units of a round, and this one its own in the next.
        if (seen == 0 || seen > 50) ++wrong;
        end.release();
      }
    }
  });
  EXPECT_EQ(wrong, 0);
}

#if defined(__SANITIZE_THREAD__)
constexpr std::array of{a_crowd{0, 4, 0}};  // which knows no members
#else
constexpr std::array of{a_crowd{0, 4, 0}, a_crowd{7, 0, 1}, a_crowd{8, 0, 2}, a_crowd{6, 2, 1}, a_crowd{6, 3, 2}};
#endif
INSTANTIATE_TEST_SUITE_P(Of, Locks, testing::ValuesIn(of), [](const auto& info) {
  return std::to_string(info.param.members) + "Members" + std::to_string(info.param.threads) + "Threads" +
         std::to_string(info.param.processors) + "Processors";
});

#if !defined(__SANITIZE_THREAD__)
// What all of them rely on: who finds another value than it has seen does not sleep, since it may have missed the wake-up.
TEST(LocksOfMembers, AMemberDoesNotSleepOnAWordThatHasChanged) {
  std::atomic<std::uint32_t> word{2};
  bool returned = false;
  weir::crowd c(2, [&](unsigned m) {
    if (m != 0) return;
    weir::futex_kernel::sleep_while(word, 1);
    returned = true;
  }, {.processors = 1});
  c.join();
  EXPECT_TRUE(returned);
}

// Without the signal that ends quanta, the first wait that keeps the processor keeps it for ever.
TEST(LocksOfMembers, AWaitGivesTheProcessorAway) {
  constexpr unsigned members = 6, rounds = 200;
  std::vector<std::unique_ptr<weir::semaphore>> turns;
  for (unsigned m = 0; m < members; ++m) turns.push_back(std::make_unique<weir::semaphore>(m == 0 ? 1 : 0));
  weir::mutex mutex;
  weir::condition changed;
  unsigned count = 0;
  sigset_t quanta, before;
  sigemptyset(&quanta);
  sigaddset(&quanta, SIGURG);
  pthread_sigmask(SIG_BLOCK, &quanta, &before);
  weir::crowd c(members, [&](unsigned m) {
    for (unsigned round = 0; round < rounds; ++round) {
      turns[m]->acquire();
      std::unique_lock lock(mutex);
      turns[(m + 1) % members]->release();
      weir::this_member::yield();  // others find the mutex taken
      if (++count % members == 0) changed.notify_all();
      changed.wait(lock, [&] { return count >= (round + 1) * members; });
    }
  }, {.processors = 1});
  c.join();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(count, members * rounds);
}
#endif

}  // namespace
