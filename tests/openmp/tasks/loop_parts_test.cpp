// The iterations of a taskloop, dealt to tasks: each once, and as many to a task as its clauses allow [OpenMP 5.2, 12.6].
#include "openmp/tasks/loop_parts.hpp"

#include <gtest/gtest.h>

namespace {

using weir::openmp::loop_parts;

std::uint64_t sum(const loop_parts& p) {
  std::uint64_t total = 0;
  for (std::uint64_t i = 0; i < p.count; ++i) total += p.trips(i);
  return total;
}

TEST(LoopParts, AGrainIsExceededByLessThanItself) {
  for (std::uint64_t trips = 1; trips < 200; ++trips)
    for (std::uint64_t grain = 1; grain < 220; ++grain) {
      const auto p = loop_parts::by_grain(trips, grain, false);
      ASSERT_EQ(sum(p), trips);
      for (std::uint64_t i = 0; i < p.count; ++i) {
        EXPECT_GE(p.trips(i), std::min(trips, grain)) << trips << " by " << grain;
        EXPECT_LT(p.trips(i), 2 * grain) << trips << " by " << grain;
      }
    }
}

TEST(LoopParts, AStrictGrainIsThatOfAllTasksButTheLast) {
  for (std::uint64_t trips = 1; trips < 200; ++trips)
    for (std::uint64_t grain = 1; grain < 220; ++grain) {
      const auto p = loop_parts::by_grain(trips, grain, true);
      ASSERT_EQ(sum(p), trips);
      for (std::uint64_t i = 0; i + 1 < p.count; ++i) EXPECT_EQ(p.trips(i), grain);
      EXPECT_GE(p.trips(p.count - 1), 1u);
      EXPECT_LE(p.trips(p.count - 1), grain);
    }
}

TEST(LoopParts, ACountIsKeptWhereThereAreIterationsEnough) {
  for (std::uint64_t trips = 1; trips < 200; ++trips)
    for (std::uint64_t tasks = 1; tasks < 220; ++tasks) {
      const auto p = loop_parts::by_count(trips, tasks, 4);
      EXPECT_EQ(p.count, std::min(trips, tasks));
      ASSERT_EQ(sum(p), trips);
      for (std::uint64_t i = 0; i < p.count; ++i) EXPECT_LE(p.trips(i) - p.trips(p.count - 1), 1u);
    }
  EXPECT_GT(loop_parts::by_count(1000, 0, 4).count, 4u);
}

TEST(LoopParts, ATaskMayHaveMoreIterationsThanHalfTheNumbers) {
  const std::uint64_t most = ~std::uint64_t{0};
  EXPECT_EQ(sum(loop_parts::by_count(most, 3, 2)), most);
  EXPECT_EQ(sum(loop_parts::by_grain(most, most - 1, true)), most);
}

}  // namespace
