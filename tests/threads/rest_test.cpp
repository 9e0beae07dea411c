// When a process counts as one at rest: its threads are not looked at any more. How much they have used decides it, not how often
// the monitor has looked.
#include "threads/preemption/rest.hpp"

#include <gtest/gtest.h>

namespace {

using weir::threads::looks_at_threads;

constexpr std::uint64_t ms = 1'000'000;

/// Looks at this distance for a second, in which the process uses this much per millisecond: after how many milliseconds does it
/// count as one at rest? 0: it does not.
std::uint64_t rests_after(std::uint64_t distance, std::uint64_t used_per_ms) {
  looks_at_threads looks;
  constexpr std::uint64_t begin = 1000;
  for (std::uint64_t at = begin; at < 2 * begin; at += distance) {
    const auto used = [&] { return at * used_per_ms; };
    if (!looks.are_needed(at * ms, false, used)) return at - begin;
    looks.next(at * ms, (at + distance) * ms, used);
  }
  return 0;
}

// With more threads than a look asks, each look is at a part of them, and the next one is due 8 ms later.
TEST(Rest, ComesHoweverOftenTheMonitorLooks) {
  for (const std::uint64_t distance : {1, 8, 49, 50, 128}) {
    EXPECT_GE(rests_after(distance, 0), 50U) << distance;
    EXPECT_LT(rests_after(distance, 0), 150U) << distance;
    EXPECT_NE(rests_after(distance, ms / 1000), 0U) << distance;
  }
}

TEST(Rest, DoesNotComeWhereThreadsRun) {
  for (const std::uint64_t distance : {1, 8, 49, 50, 128}) EXPECT_EQ(rests_after(distance, ms / 20), 0U) << distance;
}

TEST(Rest, EndsWhereALookIsAskedFor) {
  looks_at_threads looks;
  const auto none = [] { return std::uint64_t{5}; };
  for (const std::uint64_t at : {100, 200}) {
    ASSERT_TRUE(looks.are_needed(at * ms, at == 200, none));
    looks.next(at * ms, at * ms, none);
  }
  EXPECT_FALSE(looks.are_needed(300 * ms, false, none));
  EXPECT_TRUE(looks.rests());
  EXPECT_EQ(looks.since(), 200 * ms);
  EXPECT_TRUE(looks.are_needed(300 * ms, true, none));
  EXPECT_FALSE(looks.rests());
}

}  // namespace
