// Waits of a member that the kernel knows about: they keep the virtual processor until its timer finds them. Then the member goes
// on in its own kernel thread.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <ctime>
#include <mutex>

#include <gtest/gtest.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
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

#if defined(__x86_64__)
/// The call says that the time has passed, which it has.
template <class Call>
void lasts(const char* what, clock_type::duration at_least, Call call) {
  const auto begun = clock_type::now();
  errno = 0;
  EXPECT_EQ(call(), 0) << what << ", " << std::strerror(errno);
  EXPECT_GE(clock_type::now() - begun, at_least) << what;
}

/// Calls that a signal ends by EINTR, whatever the program asks for: for longer than a quantum each.
void waits_in_the_system() {
  lasts("nanosleep", 40ms, [] {
    const timespec time{0, 40'000'000};
    return nanosleep(&time, nullptr);
  });
  lasts("nanosleep, what is left in the same place", 40ms, [] {
    timespec time{0, 40'000'000};
    return nanosleep(&time, &time);
  });
  lasts("usleep", 40ms, [] { return usleep(40'000); });
  lasts("poll", 40ms, [] { return poll(nullptr, 0, 40); });
  lasts("select", 40ms, [] {
    timeval time{0, 40'000};
    return select(0, nullptr, nullptr, nullptr, &time);
  });
  lasts("pselect", 40ms, [] {
    const timespec time{0, 40'000'000};
    return pselect(0, nullptr, nullptr, nullptr, &time, nullptr);
  });
  const int files = epoll_create1(0);
  lasts("epoll_wait", 40ms, [&] {
    epoll_event found;
    return epoll_wait(files, &found, 1, 40);
  });
  close(files);
}

TEST_P(Waiting, ASystemCallLastsAsLongAsItIsAskedTo) { beside_others(waits_in_the_system); }

// The timer of its processor may be set still.
TEST_P(Waiting, AThreadThatHasJoinedIsNotInterrupted) {
  for (int i = 0; i < 10; ++i) {
    weir::crowd c(3, [](unsigned) { yields(20); }, {.processors = GetParam()});
    c.join();
    lasts("nanosleep", 20ms, [] {
      const timespec time{0, 20'000'000};
      return nanosleep(&time, nullptr);
    });
  }
}
#endif

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

INSTANTIATE_TEST_SUITE_P(On, Waiting, testing::Values(1u, 2u), [](const auto& info) {
  return std::to_string(info.param) + (info.param == 1 ? "Processor" : "Processors");
});

}  // namespace
