// How many threads of others want a processor, as the system says it.
#include "system/running_now.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>
#include <vector>

namespace {

TEST(RunningNow, TheNumberIsTheFirstOfTheFourthField) {
  EXPECT_EQ(weir::running_in("0.20 0.18 0.12 1/80 11206\n"), 1u);
  EXPECT_EQ(weir::running_in("113.20 120.18 99.12 130/2080 4194304\n"), 130u);
}

TEST(RunningNow, AnyOtherTextTellsNothing) {
  for (const char* text :
       {"", "\n", "0.20", "0.20 0.18 0.12", "0.20 0.18 0.12 ", "0.20 0.18 0.12 x/80", "0.20 0.18 0.12 3", "a b c -/"})
    EXPECT_EQ(weir::running_in(text), std::nullopt) << text;
}

TEST(RunningNow, TheStateFollowsTheName) {
  EXPECT_TRUE(weir::runs_in("17 (cat) R 1 17"));
  EXPECT_TRUE(weir::runs_in("17 (a) S (b) R 1 17"));
  for (const char* text : {"", "17 (cat) S 1 17", "17 (a) R (b) S 1 17", "17 (cat", "17 (cat)", "17 (cat) "})
    EXPECT_FALSE(weir::runs_in(text)) << text;
}

/// While this process has so many threads that never wait. They compute when nobody else does, so that their starter goes on.
template <class What>
void beside_own_threads(unsigned count, What what) {
  std::atomic<unsigned> begun{0};
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i)
    threads.emplace_back([&] {
      const sched_param none{};
      EXPECT_EQ(sched_setscheduler(0, SCHED_IDLE, &none), 0);
      ++begun;
      // Seldom looks: ThreadSanitizer takes a lock at each, and a hundred readers never let the writer in.
      while (!stop)
        for (volatile unsigned n = 0; n < 100'000; n = n + 1) {
        }
    });
  while (begun < count) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  what();
  stop = true;
  for (std::thread& t : threads) t.join();
}

/// Of ten looks, since others come and go.
unsigned fewest() {
  unsigned least = ~0u;
  for (int look = 0; look < 10; ++look) least = std::min(least, weir::others_running().value_or(0));
  return least;
}

TEST(RunningNow, OtherProcessesAreCounted) {
  if (!weir::others_running()) GTEST_SKIP() << "the system does not tell";
  constexpr unsigned others = 5;
  std::vector<pid_t> children;
  for (unsigned i = 0; i < others; ++i) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (volatile unsigned long n = 0;;) n = n + 1;
  }
  EXPECT_GE(fewest(), others);
  // A child has a parent that runs, and siblings.
  int from_child[2];
  ASSERT_EQ(pipe(from_child), 0);
  const pid_t child = fork();
  if (child == 0) {
    const unsigned seen = fewest();
    _exit(write(from_child[1], &seen, sizeof seen) == sizeof seen ? 0 : 1);
  }
  int status = 1;
  while (waitpid(child, &status, WNOHANG) == 0) {
  }
  unsigned seen = 0;
  EXPECT_EQ(read(from_child[0], &seen, sizeof seen), static_cast<long>(sizeof seen));
  EXPECT_GE(seen, others);
  for (const pid_t each : children) {
    kill(each, SIGKILL);
    waitpid(each, nullptr, 0);
  }
}

TEST(RunningNow, OwnThreadsAreNot) {
  // Whatever else runs: what the system says at two times differs by the others alone.
  if (!weir::others_running()) GTEST_SKIP() << "the system does not tell";
  constexpr unsigned own = 60;
  unsigned with = ~0u;
  beside_own_threads(own, [&] { with = fewest(); });
  EXPECT_LT(with, own);
  beside_own_threads(3 * own, [&] { with = fewest(); });
  EXPECT_LT(with, own) << "so many are not looked at one by one";
}

}  // namespace
