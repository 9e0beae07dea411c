// How often the monitor looks, by what a look costs.
#include <gtest/gtest.h>

#include "threads/preemption/pace.hpp"

namespace {

using weir::threads::pace;

pace after_looks_of(std::uint64_t ns, int looks = 100) {
  pace measured;
  for (int i = 0; i < looks; ++i) measured.took(ns);
  return measured;
}

TEST(Pace, IntervalsFollowThePriceOfALook) {
  EXPECT_NEAR(static_cast<double>(after_looks_of(8'000).soon()), 20'000, 50);
  EXPECT_NEAR(static_cast<double>(after_looks_of(40'000).soon()), 100'000, 50);
  for (const std::uint64_t ns : {8'000, 20'000, 40'000}) {
    const pace measured = after_looks_of(ns);
    EXPECT_EQ(measured.after(0), measured.soon());
    EXPECT_EQ(measured.after(pace::last_level), 128 * measured.soon());
    EXPECT_EQ(measured.after(99), measured.after(pace::last_level));
    EXPECT_EQ(measured.between_ticks(), measured.soon() * 3 / 2);
    for (unsigned level = 1; level <= pace::last_level; ++level) EXPECT_GE(measured.after(level), measured.after(level - 1));
  }
}

TEST(Pace, NeitherFreeNorSlowLooksTakeItOutOfBounds) {
  EXPECT_EQ(after_looks_of(0).soon(), 12'500U);
  EXPECT_EQ(after_looks_of(10'000'000).soon(), 125'000U);
}

TEST(Pace, LooksThatFindNothingGetRarer) {
  const std::uint64_t often = after_looks_of(20'000).soon(), longest = after_looks_of(20'000).after(pace::last_level);
  pace measured = after_looks_of(20'000);
  std::uint64_t now = 0, had = 0;
  const auto look_on = [&](std::uint64_t percent) {
    for (int i = 0; i < 20; ++i) measured.looked(false, had += 200'000 * percent, now += 20'000'000);
  };
  look_on(3);
  EXPECT_EQ(measured.soon(), 16 * often);
  EXPECT_EQ(measured.after(pace::last_level), longest);
  for (unsigned level = 1; level <= pace::last_level; ++level) EXPECT_GE(measured.after(level), measured.after(level - 1));
  measured.looked(true, had, now += 1'000);
  EXPECT_EQ(measured.soon(), often) << "one that finds something ends that";
  look_on(3);
  look_on(0);
  EXPECT_EQ(measured.soon(), often) << "and they cost nothing where nobody waits for a processor";
}

TEST(Pace, MayBeSaid) {
  pace measured(50'001);
  measured.took(10'000'000);
  EXPECT_EQ(measured.between_ticks(), 50'001U);
  EXPECT_EQ(measured.after(pace::last_level), 50'001U);
  EXPECT_LT(measured.soon(), 50'001U);
}

// A look that has been interrupted says little.
TEST(Pace, OneLookChangesLittle) {
  const pace before = after_looks_of(20'000);
  pace measured = before;
  measured.took(60'000);
  EXPECT_LE(measured.soon(), before.soon() * 5 / 4 + 1);
}

}  // namespace
