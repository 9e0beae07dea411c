#include <atomic>
#include <cerrno>
#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>
#include <weir/barrier.h>

#include "../contract.hpp"
#include "asleep.hpp"

extern "C" int serial_threads_of_one_episode(unsigned count);
extern "C" int destroy_at_once(unsigned rounds);

namespace {

TEST(CFace, HasOneSerialThreadInEachEpisode) {
  for (const unsigned count : {1u, 2u, 7u, 33u}) EXPECT_EQ(serial_threads_of_one_episode(count), 1) << count;
}

TEST(CFace, MayBeDestroyedWhileOthersLeave) { EXPECT_EQ(destroy_at_once(contract::sanitized ? 300 : 3000), 0); }

// For ThreadSanitizer: the other thread may have arrived at the first barrier without having begun to wait.
TEST(CFace, MayBeMadeAgainWhileOthersLeave) {
  for (int round = 0; round < 20; ++round) {
    weir_barrier_t first;
    ASSERT_EQ(weir_barrier_init(&first, nullptr, 2), 0);
    const auto pass = [&first] {
      if (weir_barrier_wait(&first) != WEIR_BARRIER_SERIAL_THREAD) return;
      weir_barrier_core* const core = first.core;
      weir_barrier_t next;
      EXPECT_EQ(weir_barrier_destroy(&first), 0);
      EXPECT_EQ(weir_barrier_init(&next, nullptr, 100), 0);
      EXPECT_EQ(next.core, core);
      EXPECT_EQ(weir_barrier_destroy(&next), 0);
    };
    std::thread other(pass);
    pass();
    other.join();
  }
}

// Whatever the parent's other threads did when it forked. Not under sanitizers, whose own locks may remain held in the child.
TEST(CFace, HasBarriersInForkedChildren) {
  if (contract::sanitized) GTEST_SKIP() << "under a sanitizer";
  const auto make_one = [] {
    weir_barrier_t b;
    return weir_barrier_init(&b, nullptr, 1) == 0 && weir_barrier_wait(&b) == WEIR_BARRIER_SERIAL_THREAD &&
           weir_barrier_destroy(&b) == 0;
  };
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) make_one();
  });
  int status = 0;
  for (int round = 0; round < 50 && status == 0; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(200);  // ends the test even if the child waits for ever
      _exit(make_one() ? 0 : 1);
    }
    ASSERT_EQ(waitpid(child, &status, 0), child);
  }
  EXPECT_EQ(status, 0);
  stop = true;
  other.join();
}

TEST(CFace, KeepsTheContract) {
  weir_barrier_t b;
  ASSERT_EQ(weir_barrier_init(&b, nullptr, 5), 0);
  contract::checker checker({.members = 5, .episodes = contract::sanitized ? 60u : 600u});
  EXPECT_EQ(checker.run([&](unsigned) { weir_barrier_wait(&b); }), "");
  EXPECT_EQ(weir_barrier_destroy(&b), 0);
}

TEST(CFace, ReportsBadUse) {
  weir_barrier_t b;
  EXPECT_EQ(weir_barrier_init(nullptr, nullptr, 1), EINVAL);
  EXPECT_EQ(weir_barrier_init(&b, nullptr, 0), EINVAL);
  EXPECT_NE(std::string(weir_last_error()).find("at least 1"), std::string::npos) << weir_last_error();
  EXPECT_EQ(weir_barrier_wait(&b), EINVAL) << "an init that failed leaves no barrier";
  EXPECT_EQ(weir_barrier_destroy(&b), EINVAL);
  ASSERT_EQ(weir_barrier_init(&b, nullptr, 2), 0);
  std::atomic<pid_t> number{0};
  std::thread waiter([&] {
    number = gettid();
    weir_barrier_wait(&b);
  });
  await_sleep_of(number);
  EXPECT_EQ(weir_barrier_destroy(&b), EBUSY);
  weir_barrier_wait(&b);
  waiter.join();
  EXPECT_EQ(weir_barrier_destroy(&b), 0);
  EXPECT_EQ(weir_barrier_destroy(&b), EINVAL);
}

TEST(CFace, NumberedBarriersByName) {
  weir_team_barrier_t* b = nullptr;
  EXPECT_EQ(weir_team_barrier_create(&b, 2, "fuzzy", nullptr, nullptr), EINVAL);
  EXPECT_EQ(b, nullptr);
  EXPECT_NE(std::string(weir_last_error()).find("dissemination"), std::string::npos) << weir_last_error();
  const int placement[] = {0, 0, 0};
  ASSERT_EQ(weir_team_barrier_create(&b, 3, "combination", "yield", placement), 0);
  contract::checker checker({.members = 3, .episodes = 100});
  EXPECT_EQ(checker.run([&](unsigned m) { weir_team_barrier_wait(b, m); }), "");
  EXPECT_EQ(weir_team_barrier_wait(b, 3), EINVAL);
  weir_team_barrier_destroy(b);
}

}  // namespace
