// What a thread gets from its creator tells threads apart that would create different ones.
#include <gtest/gtest.h>

#include <cfenv>
#include <thread>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "system/inheritance.hpp"

namespace {

using weir::inheritance;

/// In a thread of its own, which it may change.
template <class Change>
void tells(Change change) {
  std::thread([&change] {
    const inheritance before = inheritance::of_this_thread();
    ASSERT_TRUE(before.is_known);
    EXPECT_EQ(before, inheritance::of_this_thread());
    change();
    const inheritance own = inheritance::of_this_thread();
    EXPECT_NE(before, own);
    std::thread([&own] { EXPECT_EQ(own, inheritance::of_this_thread()); }).join();
  }).join();
}

TEST(Inheritance, TellsSignals) {
  tells([] {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &one, nullptr);
  });
}
TEST(Inheritance, TellsPriority) {
  tells([] { setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 9); });
}
TEST(Inheritance, TellsAffinity) {
  cpu_set_t processors;
  ASSERT_EQ(sched_getaffinity(0, sizeof processors, &processors), 0);
  if (CPU_COUNT(&processors) < 2) GTEST_SKIP() << "one processor";
  tells([&processors] {
    cpu_set_t one;
    CPU_ZERO(&one);
    for (std::size_t cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
      if (CPU_ISSET(cpu, &processors)) CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
  });
}
TEST(Inheritance, TellsTheName) {
  tells([] { pthread_setname_np(pthread_self(), "another"); });
}
TEST(Inheritance, TellsRounding) {
  tells([] { std::fesetround(FE_DOWNWARD); });
}
TEST(Inheritance, TellsTimerSlack) {
  tells([] { prctl(PR_SET_TIMERSLACK, 77'000); });
}
// Each computation raises them.
TEST(Inheritance, LeavesFlagsOut) {
  const inheritance before = inheritance::of_this_thread();
  std::feraiseexcept(FE_INEXACT | FE_OVERFLOW);
  EXPECT_EQ(before, inheritance::of_this_thread());
}

}  // namespace
