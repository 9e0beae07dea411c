// Waits of a member that the kernel knows about: they keep the virtual processor until the end of the member's quantum, which may
// interrupt them.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <mutex>

#include <gtest/gtest.h>
#include <poll.h>
#include <semaphore.h>
#include <unistd.h>

#include "members.hpp"

namespace {

using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;

class Waiting : public testing::TestWithParam<unsigned> {
 protected:
  /// Member 0 does this while others compute.
  template <class What>
  void beside_others(What what) {
    std::atomic<bool> done{false};
    weir::crowd c(4, [&](unsigned m) {
      if (m == 0) {
        what();
        done = true;
      }
      while (!done) {
      }
    }, {.processors = GetParam()});
    c.join();
  }
};

TEST_P(Waiting, ASleepOfTheStandardLibraryLasts) {
  beside_others([] {
    const auto begun = clock_type::now();
    std::this_thread::sleep_for(60ms);
    EXPECT_GE(clock_type::now() - begun, 60ms);
  });
}

TEST_P(Waiting, ASystemCallThatIsInterruptedSaysSo) {
  beside_others([] {
    timespec left{0, 60'000'000};
    const auto begun = clock_type::now();
    while (nanosleep(&left, &left) != 0) ASSERT_EQ(errno, EINTR);
    EXPECT_GE(clock_type::now() - begun, 60ms);
    for (int i = 0; i < 4; ++i) {
      const int found = poll(nullptr, 0, 20);
      EXPECT_TRUE(found == 0 || (found == -1 && errno == EINTR));
    }
  });
}

TEST_P(Waiting, TimedWaitsEnd) {
  beside_others([] {
    std::timed_mutex taken;
    std::thread([&] { taken.lock(); }).join();
    auto begun = clock_type::now();
    EXPECT_FALSE(taken.try_lock_for(40ms));
    EXPECT_GE(clock_type::now() - begun, 40ms);

    std::mutex mutex;
    std::condition_variable condition;
    std::unique_lock lock(mutex);
    begun = clock_type::now();
    EXPECT_FALSE(condition.wait_for(lock, 40ms, [] { return false; }));
    EXPECT_GE(clock_type::now() - begun, 40ms);
  });
}

// What a wait in the kernel needs comes from a member of the same processor, or from a thread beside.
TEST_P(Waiting, AConditionIsHeardOfInTheEnd) {
  std::mutex mutex;
  std::condition_variable condition;
  int turn = 0;
  weir::crowd c(3, [&](unsigned m) {
    for (int round = 0; round < 4; ++round) {
      std::unique_lock lock(mutex);
      condition.wait(lock, [&] { return turn == round * 3 + static_cast<int>(m); });
      ++turn;
      condition.notify_all();
    }
  }, {.processors = GetParam()});
  c.join();
  EXPECT_EQ(turn, 12);
}

TEST_P(Waiting, APipeIsReadThoughItsWriterSharesTheProcessor) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::atomic<int> right{0};
  weir::crowd c(2, [&](unsigned m) {
    for (char byte = 0; byte < 5; ++byte) {
      if (m == 0) {
        char got = -1;
        if (read(ends[0], &got, 1) == 1 && got == byte) ++right;
      } else {
        EXPECT_EQ(write(ends[1], &byte, 1), 1);
        yields(2);
      }
    }
  }, {.processors = GetParam()});
  c.join();
  EXPECT_EQ(right, 5) << "read() is restarted after a quantum";
  close(ends[0]);
  close(ends[1]);
}

TEST_P(Waiting, ASemaphoreOfTheSystemIsRestartedToo) {
  sem_t semaphore;
  ASSERT_EQ(sem_init(&semaphore, 0, 0), 0);
  std::atomic<int> failed{0};
  weir::crowd c(2, [&](unsigned m) {
    for (int i = 0; i < 5; ++i)
      if ((m == 0 ? sem_wait(&semaphore) : sem_post(&semaphore)) != 0) ++failed;
  }, {.processors = GetParam()});
  c.join();
  EXPECT_EQ(failed, 0);
  sem_destroy(&semaphore);
}

INSTANTIATE_TEST_SUITE_P(On, Waiting, testing::Values(1u, 2u), [](const auto& its) {
  return std::to_string(its.param) + (its.param == 1 ? "Processor" : "Processors");
});

}  // namespace
