// Which seat a thread takes.
#include "threads/program/seats.hpp"

#include <memory>

#include <gtest/gtest.h>

namespace {

using weir::threads::seats_taken;

TEST(SeatsTaken, TheNextIsOneThatTheFewestHave) {
  const auto seats = std::make_unique<seats_taken>();
  EXPECT_EQ(seats->take(3), 0u);
  EXPECT_EQ(seats->take(3), 1u);
  EXPECT_EQ(seats->take(3), 2u);
  EXPECT_EQ(seats->take(3), 0u);
  seats->give_back(2);
  EXPECT_EQ(seats->take(3), 2u);
  EXPECT_EQ(seats->take(3), 1u);
}

TEST(SeatsTaken, OnlySoManyAreUsable) {
  const auto seats = std::make_unique<seats_taken>();
  for (unsigned i = 0; i < 4; ++i) EXPECT_LT(seats->take(2), 2u);
  EXPECT_EQ(seats->take(3), 2u);
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(seats->take(1), 0u);
}

TEST(SeatsTaken, WhoMovesTakesTheOther) {
  const auto seats = std::make_unique<seats_taken>();
  EXPECT_EQ(seats->take(2), 0u);
  seats->move(0, 1);
  EXPECT_EQ(seats->take(2), 0u);
  EXPECT_EQ(seats->take(2), 0u);
  EXPECT_EQ(seats->take(2), 1u);
}

TEST(SeatsTaken, ThoseThatTheChildOfAForkDoesNotHaveAreFree) {
  const auto seats = std::make_unique<seats_taken>();
  seats->take(2);
  seats->forget();
  EXPECT_EQ(seats->take(2), 0u);
  seats->move(0, 2);
  seats->forget();
  for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(seats->take(3), i);
}

}  // namespace
