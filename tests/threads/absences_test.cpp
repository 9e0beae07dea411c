// Which threads stay away from their seats, since they block too often.
#include <gtest/gtest.h>

#include "threads/program/seats.hpp"

namespace {

using weir::threads::absences;

std::uint64_t after_requests(absences& counter, unsigned requests, unsigned waits_in_each) {
  std::uint64_t away_us = 0;
  for (unsigned i = 0; i < requests; ++i) {
    for (unsigned w = 0; w < waits_in_each; ++w) counter.waits();
    away_us = counter.leaves();
  }
  return away_us;
}

TEST(Absences, AThreadThatHardlyWaitsBetweenTwoCallsStaysAway) {
  absences counter;
  EXPECT_EQ(after_requests(counter, absences::judged_together - 1, 1), 0U);
  EXPECT_EQ(after_requests(counter, 1, 1), absences::least_us);
}

TEST(Absences, ItStaysAwayLongerEachTimeUpToABound) {
  absences counter;
  std::uint64_t before = 0;
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t now = after_requests(counter, absences::judged_together, 0);
    EXPECT_GT(now, before);
    before = now;
  }
  for (int i = 0; i < 4; ++i) EXPECT_LE(after_requests(counter, absences::judged_together, 0), absences::most_us);
}

TEST(Absences, AThreadThatWaitsOftenKeepsItsSeat) {
  absences counter;
  EXPECT_EQ(after_requests(counter, 100 * absences::judged_together, absences::waits_worth_a_seat), 0U);
  EXPECT_EQ(after_requests(counter, absences::judged_together, 0), absences::least_us);
  EXPECT_EQ(after_requests(counter, absences::judged_together, absences::waits_worth_a_seat), 0U);
  EXPECT_EQ(after_requests(counter, absences::judged_together, 0), absences::least_us);  // not twice as long
}

}  // namespace
