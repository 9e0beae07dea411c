// Larger teams, in random schedules: these can find faults, but prove nothing.
#include <gtest/gtest.h>

#include "../barriers/mutants.hpp"
#include "simulator/explorer/explorer.hpp"
#include "simulator/explorer/subjects.hpp"

namespace {

using namespace weir::explorer;
using known = weir::registry<explored>;

class Random : public testing::TestWithParam<unsigned> {};

TEST_P(Random, NoBarrierFailsInSomeSchedules) {
  const unsigned members = GetParam();
  for (const auto& a : known::algorithms())
    for (const auto& w : known::waitings()) {
      const subject s = barrier_subject(a.name, w.name, explored_team(members, members / 2), 3);
      const verdict v = explore_at_random(s, {.memory = memory_model::tso, .schedules = 400 / members, .seed = members});
      EXPECT_TRUE(v.holds) << a.name << "/" << w.name << "\n" << v.timeline;
      EXPECT_FALSE(v.complete);
    }
}

INSTANTIATE_TEST_SUITE_P(Members, Random, testing::Values(3u, 4u, 8u, 16u, 33u), testing::PrintToStringParamName());

template <template <class> class Mutant>
verdict drawn(std::uint64_t seed) {
  const subject s = meeting(8, 3, [] { return std::make_unique<Mutant<explored>>(8); });
  return explore_at_random(s, {.schedules = 2000, .seed = seed});
}

TEST(RandomMutant, FoundInATeamOfEight) {
  EXPECT_FALSE(drawn<mutants::counter_waits_for_equality>(1).holds);
  EXPECT_FALSE(drawn<mutants::sense_released_before_reset>(1).holds);
  EXPECT_FALSE(drawn<mutants::condvar_flipped_without_mutex>(1).holds);
  EXPECT_FALSE(drawn<mutants::distributed_with_one_set>(1).holds);
  EXPECT_FALSE(drawn<mutants::combination_released_before_the_tree>(1).holds);
  EXPECT_TRUE(drawn<mutants::sense_not_broken>(1).holds);
}

TEST(RandomMutant, TheSameSeedDrawsTheSameSchedule) {
  const verdict a = drawn<mutants::sensor_with_sense>(7), b = drawn<mutants::sensor_with_sense>(7);
  EXPECT_FALSE(a.holds);
  EXPECT_EQ(a.timeline, b.timeline);
  EXPECT_EQ(a.reached.schedules, b.reached.schedules);
}

}  // namespace
