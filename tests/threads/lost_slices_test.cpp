// When a processor with bodies that poll yields to the kernel: with times as the test says.
#include "threads/scheduling/lost_slices.hpp"

#include <algorithm>
#include <cstdint>

#include <gtest/gtest.h>

namespace {

using weir::threads::lost_slices;

constexpr std::uint64_t us = 1'000, ms = 1'000'000;

struct processor {
  lost_slices detector{};
  std::uint64_t now = 1'000 * ms;

  /// A yield that takes so long, while the process had so much of the time of two processors. Until when it rests then.
  std::uint64_t yield(std::uint64_t takes, std::uint64_t process, bool kept_ran = false) {
    detector.yielded(now, now + takes, process, 2, kept_ran);
    now += takes;
    std::uint64_t rests = 0;
    while (!detector.may_yield(now + rests)) rests += us;
    return rests;
  }
};

TEST(LostSlices, YieldsThatReturnAtOnceGoOn) {
  processor p;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(p.yield(2 * us, 4 * us), 0u);
  EXPECT_FALSE(p.detector.suspects(p.now));
}

TEST(LostSlices, TheFirstSliceOnlyRaisesSuspicion) {
  processor p;
  EXPECT_EQ(p.yield(4 * ms, 0), 0u);
  EXPECT_TRUE(p.detector.suspects(p.now));
}

TEST(LostSlices, BesideAnotherProgramItRestsLongerEachTime) {
  processor p;
  p.yield(4 * ms, 0);
  std::uint64_t expected = lost_slices::shortest;
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t rests = p.yield(4 * ms, 4 * ms);  // the other processor has run all the time
    EXPECT_EQ(rests, expected);
    p.now += rests;
    expected = std::min(2 * expected, lost_slices::longest);
  }
  EXPECT_EQ(expected, lost_slices::longest);
}

// Beside many programs such a thread has little of the time.
TEST(LostSlices, WhereAThreadOfTheKernelHasRunItGoesOn) {
  processor p;
  p.yield(4 * ms, 0);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(p.yield(20 * ms, 0, true), 0u);
  EXPECT_EQ(p.yield(20 * ms, 0), lost_slices::shortest);
}

TEST(LostSlices, ItBeginsAnewOnceItHasLostNoneForAWhile) {
  processor p;
  p.yield(4 * ms, 0);
  p.now += p.yield(4 * ms, 0);
  p.now += p.yield(4 * ms, 0);
  p.now += 2 * lost_slices::longest;
  EXPECT_FALSE(p.detector.suspects(p.now));
  EXPECT_EQ(p.yield(4 * ms, 0), 0u);
  EXPECT_EQ(p.yield(4 * ms, 0), lost_slices::shortest);
}

TEST(LostSlices, AThreadOfTheSameProcessMayHaveThem) {
  processor p;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(p.yield(4 * ms, 8 * ms), 0u);
}

}  // namespace
