// At which others a processor without bodies looks.
#include "threads/scheduling/neighbours.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace {

using weir::threads::neighbours;

std::vector<std::size_t> look(neighbours& n, std::size_t all, std::size_t mine) {
  std::vector<std::size_t> seen;
  EXPECT_FALSE(n.any_of(all, mine, [&](std::size_t place) {
    EXPECT_LT(place, all);
    EXPECT_NE(place, mine);
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
  for (const std::size_t all : {2u, 3u, 9u, 16u, 17u}) {
    neighbours n;
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(look(n, all, i % all).size(), all - 1);
    EXPECT_EQ(n.rounds(), 1u);
  }
}

TEST(Neighbours, OfManyAreFewInEachLookAndAllInTime) {
  for (const std::size_t all : {18u, 32u, 33u, 128u, 500u}) {
    neighbours n;
    std::vector<unsigned> times(all);
    const std::size_t looks = 2 * ((all - 1) / neighbours::in_turn + 2);
    for (std::size_t i = 0; i < looks; ++i) {
      const auto seen = look(n, all, 7);
      EXPECT_LE(seen.size(), neighbours::beside + neighbours::in_turn);
      for (const std::size_t place : seen) ++times[place];
    }
    for (std::size_t place = 0; place < all; ++place) EXPECT_GE(times[place], place == 7 ? 0u : 2u) << place << " of " << all;
  }
}

// Before it sleeps, a processor looks at each twice.
TEST(Neighbours, AreSeenTwiceWhileAProcessorIsIdle) {
  constexpr std::size_t all = 100;
  neighbours n;
  for (unsigned idle = 0; idle < 10; ++idle) {
    std::vector<unsigned> times(all);
    const unsigned looks = idle == 0 ? 4 : 2 * n.rounds();
    for (unsigned i = 0; i < looks; ++i)
      for (const std::size_t place : look(n, all, 50)) ++times[place];
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
