// At which others a processor without bodies looks.
#include "threads/scheduling/neighbours.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace {

using weir::threads::neighbours;

std::vector<std::size_t> look(neighbours& n, std::size_t number, std::size_t place_of_caller) {
  std::vector<std::size_t> seen;
  EXPECT_FALSE(n.any_of(number, place_of_caller, [&](std::size_t place) {
    EXPECT_LT(place, number);
    EXPECT_NE(place, place_of_caller);
    seen.push_back(place);
    return false;
  }));
  std::vector<std::size_t> once = seen;
  std::ranges::sort(once);
  EXPECT_TRUE(std::ranges::adjacent_find(once) == once.end()) << "one is seen twice";
  return seen;
}

TEST(Neighbours, AreTheNearestFirst) {
  neighbours n;
  EXPECT_EQ(look(n, 6, 4), (std::vector<std::size_t>{5, 3, 0, 2, 1}));
  EXPECT_EQ(look(n, 1, 0), (std::vector<std::size_t>{}));
}

TEST(Neighbours, OfAFewProcessorsAreAllOthers) {
  for (const std::size_t number : {2u, 3u, 9u, 16u, 17u}) {
    neighbours n;
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(look(n, number, i % number).size(), number - 1);
    EXPECT_EQ(n.rounds(), 1u);
  }
}

TEST(Neighbours, OfManyAreFewInEachLookAndAllInTime) {
  for (const std::size_t number : {18u, 32u, 33u, 128u, 500u}) {
    neighbours n;
    std::vector<unsigned> times(number);
    const std::size_t looks = 2 * ((number - 1) / neighbours::in_turn + 2);
    for (std::size_t i = 0; i < looks; ++i) {
      const auto seen = look(n, number, 7);
      EXPECT_LE(seen.size(), neighbours::beside + neighbours::in_turn);
      for (const std::size_t place : seen) ++times[place];
    }
    for (std::size_t place = 0; place < number; ++place)
      EXPECT_GE(times[place], place == 7 ? 0u : 2u) << place << " of " << number;
  }
}

// Before it sleeps, a processor looks at each twice.
TEST(Neighbours, AreSeenTwiceWhileAProcessorIsIdle) {
  constexpr std::size_t number = 100;
  neighbours n;
  for (unsigned idle = 0; idle < 10; ++idle) {
    std::vector<unsigned> times(number);
    const unsigned looks = idle == 0 ? 4 : 2 * n.rounds();
    for (unsigned i = 0; i < looks; ++i)
      for (const std::size_t place : look(n, number, 50)) ++times[place];
    EXPECT_EQ(std::ranges::count(times, 1u), 0) << "in the " << idle << "th time";
  }
}

TEST(Neighbours, EndTheLookAtTheFirstThatHasSome) {
  neighbours n;
  unsigned seen = 0;
  EXPECT_TRUE(n.any_of(128, 3, [&](std::size_t place) { return ++seen, place == 5; }));
  EXPECT_EQ(seen, 3u);
}

}  // namespace
