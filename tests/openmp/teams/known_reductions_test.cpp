// What a team learns about its reductions: which of them combine few values.
#include "openmp/teams/known_reductions.hpp"

#include <gtest/gtest.h>

namespace {

using weir::openmp::known_reductions;
using values = known_reductions::values;

const void* construct(std::uintptr_t number) { return reinterpret_cast<const void*>(0x1000 + 16 * number); }

TEST(KnownReductions, OneQuickCombinationShowsThatTheValuesAreFew) {
  known_reductions known;
  EXPECT_EQ(known.of(construct(1)), values::unknown);
  known.learn(construct(1), 5000);  // the thread lost its processor meanwhile
  EXPECT_EQ(known.of(construct(1)), values::unknown);
  known.learn(construct(1), 12);
  EXPECT_EQ(known.of(construct(1)), values::few);
}

TEST(KnownReductions, SeveralSlowCombinationsShowThatTheValuesAreMany) {
  known_reductions known;
  int slow = 0;
  for (; known.of(construct(1)) == values::unknown && slow < 100; ++slow) known.learn(construct(1), 900);
  EXPECT_EQ(known.of(construct(1)), values::many);
  EXPECT_EQ(slow, 4);
}

TEST(KnownReductions, ConstructsAreToldApartEvenWhereTheirAddressesFallTogether) {
  known_reductions known;
  for (std::uintptr_t i = 0; i < 6; ++i)
    for (int times = 0; times < 4; ++times) known.learn(construct(32 * i), i % 2 == 0 ? 10 : 900);
  for (std::uintptr_t i = 0; i < 6; ++i) EXPECT_EQ(known.of(construct(32 * i)), i % 2 == 0 ? values::few : values::many) << i;
  EXPECT_EQ(known.of(construct(32 * 6)), values::unknown);
}

TEST(KnownReductions, ConstructsThatItHasNoRoomForHaveManyValues) {
  known_reductions known;
  std::uintptr_t i = 0;
  for (; known.of(construct(i)) == values::unknown && i < 1000; ++i) known.learn(construct(i), 10);
  EXPECT_EQ(i, 32u);
  EXPECT_EQ(known.of(construct(i)), values::many);
  EXPECT_EQ(known.of(construct(7)), values::few);
}

}  // namespace
