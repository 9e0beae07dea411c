// The floor of a barrier, where it can be found by hand, and below what the simulation takes.
#include "simulator/floor.hpp"

#include <gtest/gtest.h>

#include <weir/barriers/plans.hpp>

#include "plain_machine.hpp"
#include "simulator/plan_search.hpp"

namespace weir::simulator {
namespace {

/// 10 ns on a chip of two, 100 beyond.
machine_model plain_with(unsigned misses, unsigned processors) {
  machine_model m = plain::machine(processors);
  m.processor.misses = misses;
  return m;
}

double floor_ns(unsigned misses, unsigned members) { return in_ns(floor_of_barrier(plain_with(misses, 16), members)); }

TEST(Floor, IsOneTransferIfAMemberCanFetchAllThatItDoesNotHearOnItsOwnChip) {
  EXPECT_EQ(floor_ns(1, 1), 0);
  EXPECT_EQ(floor_ns(1, 2), 10) << "on one chip";
  EXPECT_EQ(floor_ns(1, 3), 100);
  EXPECT_EQ(floor_ns(14, 16), 100);
}

TEST(Floor, HasAFurtherTransferForWhatOneCannotFetchAtOnce) {
  // Of 16 two are on the chip. 7 lines at once: each must know of 2, which the chip's transfer brings before.
  EXPECT_EQ(floor_ns(7, 16), 110);
  // One line at once. 4: the chip's two, and two more from one who has heard of its chip.
  EXPECT_EQ(floor_ns(1, 4), 110);
  // 8: four more from one who knows of 4, and that costs two transfers of the nearest kind at least.
  EXPECT_EQ(floor_ns(1, 8), 120);
}

TEST(Floor, OfARegionIsATransferMore) {
  EXPECT_EQ(in_ns(floor_of_region(plain_with(14, 16), 16)), 200);
  EXPECT_EQ(in_ns(floor_of_region(plain_with(14, 16), 2)), 20);
}

// No barrier in the simulation is faster.
TEST(Floor, IsBelowEachBarrier) {
  for (const char* name : {"kunpeng-920", "epyc-9654-2s", "grace-2s", "sunfire-x4600"}) {
    const machine_model m = read_machine(std::string(WEIR_MACHINES "/") + name + ".toml");
    for (const unsigned members : {2u, 8u, 16u, 64u})
      if (members <= m.processors) {
        for (const plans::entry& e : plans::table)
          EXPECT_GT(simulated_ns(cut(m, members), e.make(members, {})), in_ns(floor_of_barrier(m, members)))
              << name << ", " << e.name << ", " << members;
      }
  }
}

}  // namespace
}  // namespace weir::simulator
