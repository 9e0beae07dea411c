// Signals that wait for a member, as they would for a thread.
#include <atomic>
#include <csignal>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "threads/scheduling/signal_queue.hpp"

namespace {

using weir::threads::signal_queue;

siginfo_t signal_with(int number, int value) {
  siginfo_t why{};
  why.si_signo = number;
  why.si_code = SI_QUEUE;
  why.si_value.sival_int = value;
  return why;
}
siginfo_t plain(int number) {
  siginfo_t why{};
  why.si_signo = number;
  why.si_code = SI_TKILL;
  return why;
}
std::uint64_t mask_of(int number) { return std::uint64_t{1} << (number - 1); }

using taken = std::vector<std::pair<int, int>>;  // number and value; -1: without
taken take(signal_queue& from, std::uint64_t kept = 0) {
  taken result;
  from.take(kept, [&](const siginfo_t& why) {
    result.emplace_back(why.si_signo, why.si_code == SI_QUEUE ? why.si_value.sival_int : -1);
  });
  return result;
}

TEST(SignalQueue, RealTimeSignalsComeEachLowerNumbersFirst) {
  signal_queue q;
  for (const auto& [number, value] : taken{{40, 1}, {36, 2}, {40, 3}, {36, 4}}) EXPECT_TRUE(q.add(signal_with(number, value)));
  EXPECT_EQ(take(q), (taken{{36, 2}, {36, 4}, {40, 1}, {40, 3}}));
  EXPECT_EQ(take(q), taken{});
}

TEST(SignalQueue, OthersOfOneNumberAreOneAndTheFirstSaysItsValue) {
  signal_queue q;
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(q.add(signal_with(SIGUSR1, i)));
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(q.add(plain(SIGUSR2)));
  EXPECT_TRUE(q.add(plain(SIGUSR1)));
  EXPECT_TRUE(q.add(signal_with(SIGUSR2, 7)));
  EXPECT_EQ(take(q), (taken{{SIGUSR1, 0}, {SIGUSR2, -1}}));
}

TEST(SignalQueue, BlockedOnesStay) {
  signal_queue q;
  q.add(signal_with(40, 1));
  q.add(plain(SIGUSR1));
  q.add(signal_with(41, 2));
  EXPECT_EQ(take(q, mask_of(40) | mask_of(SIGUSR1)), (taken{{41, 2}}));
  EXPECT_EQ(take(q), (taken{{SIGUSR1, -1}, {40, 1}}));
}

TEST(SignalQueue, AFullOneRefusesValuesAndMakesOneOfPlainSignals) {
  signal_queue q;
  int room = 0;
  while (q.add(signal_with(40, room))) ++room;
  EXPECT_GE(room, 16);
  EXPECT_FALSE(q.add(signal_with(SIGUSR1, 1)));
  EXPECT_TRUE(q.add(plain(50)));
  EXPECT_TRUE(q.add(plain(50)));
  const taken left = take(q);
  ASSERT_EQ(left.size(), static_cast<std::size_t>(room) + 1);
  EXPECT_EQ(left.back(), (std::pair{50, -1}));
  EXPECT_TRUE(q.add(signal_with(40, 1)));
}

TEST(SignalQueue, WhatIsWithdrawnDoesNotCome) {
  signal_queue q;
  for (const siginfo_t& why : {signal_with(40, 1), plain(SIGUSR1), plain(41)}) {
    auto added = q.add(why);
    ASSERT_TRUE(added);
    EXPECT_TRUE(q.withdraw(*added));
    EXPECT_EQ(take(q), taken{});
    added = q.add(why);
    ASSERT_TRUE(added);
    EXPECT_EQ(take(q).size(), 1U);
    EXPECT_FALSE(q.withdraw(*added));
  }
}

// Between the two, other threads may send theirs. (One was lost, and another one came twice.)
TEST(SignalQueue, AnotherThatHasComeSinceIsNotWithdrawn) {
  signal_queue q;
  const auto first = q.add(signal_with(40, 1)), second = q.add(signal_with(40, 2));
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(q.withdraw(*first));
  EXPECT_FALSE(q.withdraw(*first));
  EXPECT_EQ(take(q), (taken{{40, 2}}));
  EXPECT_FALSE(q.withdraw(*second));
  const auto third = q.add(signal_with(40, 3)), plain_one = q.add(plain(SIGUSR1)), fourth = q.add(signal_with(41, 4));
  ASSERT_TRUE(third && plain_one && fourth);
  EXPECT_FALSE(q.withdraw(*first)) << "its place has another one";
  EXPECT_TRUE(q.withdraw(*plain_one));
  EXPECT_EQ(take(q), (taken{{40, 3}, {41, 4}}));
}

// One thread adds and withdraws, another takes: each comes once, or is withdrawn.
TEST(SignalQueue, NoneIsLostOrComesTwice) {
  signal_queue q;
  constexpr int signals = 20'000;
  std::vector<int> came(signals, 0);
  std::atomic<bool> done{false};
  std::thread taker([&] {
    for (bool last = false;; last = done) {
      q.take(0, [&](const siginfo_t& why) { ++came[static_cast<std::size_t>(why.si_value.sival_int)]; });
      if (last) return;
    }
  });
  int withdrawn = 0;
  for (int i = 0; i < signals; ++i) {
    const siginfo_t why = signal_with(34 + i % 3, i);
    std::optional<signal_queue::pending> next;
    while (!(next = q.add(why))) std::this_thread::yield();
    if (i % 5 == 0 && q.withdraw(*next)) {
      ++withdrawn;
      ++came[static_cast<std::size_t>(i)];  // as if
    }
  }
  done = true;
  taker.join();
  for (int i = 0; i < signals; ++i) ASSERT_EQ(came[static_cast<std::size_t>(i)], 1) << i << ", withdrawn " << withdrawn;
}

}  // namespace
