// When waiters sleep instead of yielding because other programs seem to run, by a clock of the test's own.
#include "machine/yield_doubt.hpp"

#include <gtest/gtest.h>

namespace weir {
namespace {

constexpr double ticks_per_us = 1000;
constexpr std::uint64_t us = 1000;

/// A doubt whose first waits have passed; the next one tries.
struct before_a_trial {
  yield_doubt doubt;
  before_a_trial() {
    doubt.begin();
    for (unsigned i = 1; i < yield_doubt::first_waits; ++i) EXPECT_TRUE(doubt.at_wait(i, ticks_per_us));
  }
};

TEST(YieldDoubt, DoesNotHoldUnlessItBegins) {
  yield_doubt doubt;
  EXPECT_FALSE(doubt.holds());
  EXPECT_FALSE(doubt.at_wait(1, ticks_per_us));
}

TEST(YieldDoubt, LetsOneWaiterTryAfterTheFirstWaits) {
  before_a_trial b;
  EXPECT_FALSE(b.doubt.at_wait(10'000, ticks_per_us));
  EXPECT_TRUE(b.doubt.at_wait(10'001, ticks_per_us));  // the others sleep meanwhile
  EXPECT_TRUE(b.doubt.holds());
  // It has not yielded, since what it waited for came first: another tries.
  EXPECT_FALSE(b.doubt.at_wait(10'000 + 101 * us, ticks_per_us));
}

/// Trials of four yields each, one after the other, which come back at once: so many yields.
std::uint64_t try_yields(yield_doubt& doubt, std::uint64_t now, unsigned yields) {
  for (unsigned i = 0; i < yields; ++i) {
    if (i % 4 == 0) {
      now += 101 * us;
      EXPECT_FALSE(doubt.at_wait(now, ticks_per_us));
    }
    doubt.yielded(now, now + 2 * us, ticks_per_us);
  }
  return now;
}

TEST(YieldDoubt, EndsByManyYieldsThatComeBackAtOnce) {
  before_a_trial b;
  const std::uint64_t now = try_yields(b.doubt, 0, yield_doubt::many - 1);
  EXPECT_TRUE(b.doubt.holds());
  b.doubt.yielded(now, now + 2 * us, ticks_per_us);
  EXPECT_FALSE(b.doubt.holds());
  EXPECT_FALSE(b.doubt.at_wait(now + 3 * us, ticks_per_us));
}

TEST(YieldDoubt, CountsAnewAfterASlice) {
  before_a_trial b;
  std::uint64_t now = try_yields(b.doubt, 0, yield_doubt::many - 1);
  b.doubt.yielded(now, now + 1'000 * us, ticks_per_us);
  now += 51'001 * us;
  try_yields(b.doubt, now, yield_doubt::many - 1);
  EXPECT_TRUE(b.doubt.holds());
}

TEST(YieldDoubt, TriesAgainAfterManyTimesWhatASliceTook) {
  before_a_trial b;
  const std::uint64_t from = 10'000, slice = 4'000 * us, to = from + slice;
  EXPECT_FALSE(b.doubt.at_wait(from, ticks_per_us));
  b.doubt.yielded(from, to, ticks_per_us);
  EXPECT_TRUE(b.doubt.at_wait(to + 49 * slice, ticks_per_us));
  EXPECT_FALSE(b.doubt.at_wait(to + 50 * slice, ticks_per_us));
  EXPECT_TRUE(b.doubt.at_wait(to + 50 * slice + 1, ticks_per_us));
}

TEST(YieldDoubt, LearnsNothingFromAYieldToAMemberThatComputes) {
  before_a_trial b;
  EXPECT_FALSE(b.doubt.at_wait(10'000, ticks_per_us));
  b.doubt.yielded(10'000, 10'000 + 100 * us, ticks_per_us);
  EXPECT_TRUE(b.doubt.holds());
  EXPECT_FALSE(b.doubt.at_wait(10'000 + 101 * us, ticks_per_us));
}

}  // namespace
}  // namespace weir
