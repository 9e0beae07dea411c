// 64 virtual processors on two processors of the machine: lists, claims, stand-ins and sleepers with more seats than one word of
// 32 bits or a small machine has. The results are checked, and how long it takes is not.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>

#include <weir/locks.hpp>
#include <weir/machine/processors.hpp>
#include <weir/team_barrier.hpp>

#include "members.hpp"

namespace {

using namespace std::chrono_literals;

constexpr unsigned processors = 64, members = 150;

/// On the first two processors that the process may use.
class ManyProcessors : public testing::Test {
 protected:
  void SetUp() override {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t two;
    CPU_ZERO(&two);
    for (std::size_t i = 0; i < std::min<std::size_t>(2, weir::affinity().size()); ++i)
      CPU_SET(static_cast<std::size_t>(weir::affinity()[i]), &two);
    sched_setaffinity(0, sizeof two, &two);
  }
  void TearDown() override { sched_setaffinity(0, sizeof before_, &before_); }

  template <class Run>
  static void run_members(Run run) {
    weir::crowd c(members, run, {.processors = processors});
    c.join();
  }

 private:
  cpu_set_t before_;
};

TEST_F(ManyProcessors, MembersMeetAtEachBarrierOfALargeTeam) {
  std::set<long> drivers;  // beside other programs few processors may come in time, and run the members of all
  for (const char* algorithm : {"auto", "exchange-nodes", "combination", "sense"}) {
    constexpr unsigned episodes = 30;
    weir::team_barrier<> barrier(members, {.algorithm = algorithm, .kernel_threads = false});
    std::vector<std::atomic<unsigned>> at(members);
    std::atomic<unsigned> early{0};
    std::mutex guard;
    run_members([&](unsigned m) {
      for (unsigned episode = 1; episode <= episodes; ++episode) {
        at[m].store(episode, std::memory_order_relaxed);
        barrier.arrive_and_wait(m);
        for (const auto& other : at)
          if (other.load(std::memory_order_relaxed) < episode) ++early;
      }
      const std::lock_guard lock(guard);
      drivers.insert(kernel_thread());
    });
    EXPECT_EQ(early, 0u) << algorithm;
  }
  EXPECT_GT(drivers.size(), 16u);
}

TEST_F(ManyProcessors, MembersThatBlockInTheKernelDoNotKeepOthersFromTheirProcessors) {
  std::mutex guard;
  std::condition_variable passed;
  unsigned turn = 0, rounds = 0;
  run_members([&](unsigned m) {
    for (unsigned round = 0; round < 2; ++round) {
      if (m % 16 == 5) std::this_thread::sleep_for(2ms);
      std::unique_lock lock(guard);
      passed.wait(lock, [&] { return turn == m; });
      turn = (turn + 1) % members;
      if (turn == 0) ++rounds;
      passed.notify_all();
    }
  });
  EXPECT_EQ(rounds, 2u);
}

TEST_F(ManyProcessors, MembersYieldComputeAndExcludeEachOther) {
  weir::mutex guard;
  unsigned inside = 0, entries = 0, together = 0;
  run_members([&](unsigned m) {
    for (unsigned i = 0; i < 20; ++i) {
      if (m % 10 == i % 10) {
        std::atomic<double> sum{0};
        for (int k = 1; k < 20'000; ++k) sum.store(sum.load(std::memory_order_relaxed) + 1.0 / k, std::memory_order_relaxed);
      }
      guard.lock();
      together += ++inside != 1;
      yields(1);
      ++entries;
      --inside;
      guard.unlock();
    }
  });
  EXPECT_EQ(entries, members * 20);
  EXPECT_EQ(together, 0u);
}

}  // namespace
