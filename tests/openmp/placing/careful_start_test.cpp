// On how many processors a program begins, by what it sees of others.
#include <gtest/gtest.h>

#include "openmp/placing/careful_start.hpp"

namespace {

using weir::openmp::careful_start;

/// Looks when it wants to, and sees these others. How many processors it takes then.
unsigned after(careful_start& start, std::uint64_t& now, std::initializer_list<unsigned> others, unsigned usable) {
  for (const unsigned each : others) {
    now += start.until_next_look();
    start.look(each, now);
  }
  return start.processors(usable);
}

TEST(CarefulStart, WhoHasNotSeenOthersTakesAllProcessors) {
  const careful_start none;
  EXPECT_TRUE(none.is_over());
  EXPECT_EQ(none.processors(8), 8u);
}

TEST(CarefulStart, ItBeginsOnThoseThatOthersLeaveAndAtLeastOnOne) {
  for (const auto& [others, taken] : {std::pair{1u, 7u}, {6u, 2u}, {7u, 1u}, {8u, 1u}, {100u, 1u}}) {
    careful_start start;
    start.begin(8, others, 1000);
    EXPECT_FALSE(start.is_over());
    EXPECT_EQ(start.processors(8), taken) << others;
    EXPECT_EQ(start.processors(1), 1u);
  }
  careful_start elsewhere;
  elsewhere.begin(8, 3, 1000);
  EXPECT_EQ(elsewhere.processors(4), 4u) << "others leave as many as it may use";
}

TEST(CarefulStart, AProcessorIsTakenThatIsFreeAtTwoLooks) {
  careful_start start;
  std::uint64_t now = 5'000'000'000;
  start.begin(8, 8, now);
  EXPECT_EQ(after(start, now, {0}, 8), 1u) << "a moment";
  EXPECT_EQ(after(start, now, {3}, 8), 5u);
  EXPECT_EQ(after(start, now, {6}, 8), 5u) << "what is taken is kept";
  EXPECT_FALSE(start.is_over());
}

TEST(CarefulStart, AMistakeIsSeenSoon) {
  careful_start start;
  std::uint64_t now = 0;
  start.begin(2, 1, now);
  EXPECT_EQ(after(start, now, {0, 0}, 2), 2u);
  EXPECT_TRUE(start.is_over());
  EXPECT_LT(now, 10'000'000u);
}

TEST(CarefulStart, ItEndsWhateverOthersDo) {
  careful_start start;
  std::uint64_t now = 77;
  start.begin(2, 4, now);
  unsigned looks = 0;
  for (; !start.is_over() && looks < 100; ++looks) {
    EXPECT_EQ(start.processors(2), 1u);
    after(start, now, {4}, 2);
  }
  EXPECT_EQ(start.processors(2), 2u);
  EXPECT_GE(now, careful_start::lasts);
  EXPECT_LT(now, 2 * careful_start::lasts + 77);
  EXPECT_LT(looks, 10u) << "a look costs tens of microseconds";
}

}  // namespace
