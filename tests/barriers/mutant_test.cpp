// The contract catches each mutant; each copy without the fault keeps the contract.
#include <gtest/gtest.h>

#include "../contract.hpp"
#include "mutants.hpp"

namespace {

using contract::verdict;
constexpr unsigned members = 5;
constexpr unsigned patience_s = 1;  // a hundred times what a copy without a fault needs; every second mutant hangs
const contract::options team{.members = members, .episodes = 400, .late_us = 100};

template <class Barrier>
verdict judge() {
  return contract::verdict_in_child(team, [] { return std::make_unique<Barrier>(members); }, patience_s);
}

verdict judge(const weir::plan& p) {
  // A damaged plan may still be a barrier, if it does not need all signals of a round: such a plan is no mutant.
  EXPECT_FALSE(weir::prove(p).holds) << p.name;
  contract::options its_team = team;
  its_team.members = p.participants();
  return contract::verdict_in_child(its_team, [&] { return std::make_unique<mutants::unproven<weir::native>>(p); }, patience_s);
}

namespace plans = weir::plans;

TEST(Control, CopiesWithoutAFaultKeepTheContract) {
  contract::options patient = team;
  patient.episodes = 100;
  const auto keeps = [&](auto make) { return contract::verdict_in_child(patient, make, 60) == verdict::kept; };
  EXPECT_TRUE(keeps([] { return std::make_unique<mutants::counter_not_broken<weir::native>>(members); }));
  EXPECT_TRUE(keeps([] { return std::make_unique<mutants::sense_not_broken<weir::native>>(members); }));
  EXPECT_TRUE(keeps([] { return std::make_unique<mutants::condvar_not_broken<weir::native>>(members); }));
  EXPECT_TRUE(keeps([] { return std::make_unique<mutants::distributed_not_broken<weir::native>>(members); }));
  EXPECT_TRUE(keeps([] { return std::make_unique<mutants::distributed_sensor_not_broken<weir::native>>(members); }));
  EXPECT_TRUE(keeps([] { return std::make_unique<mutants::combination_not_broken<weir::native>>(members); }));
  for (const plans::entry& e : plans::table)
    EXPECT_TRUE(keeps([&] { return std::make_unique<mutants::unproven<weir::native>>(e.make(members, {})); })) << e.name;
}

#define CAUGHT(mutant) \
  TEST(Mutant, mutant) { EXPECT_NE(judge<mutants::mutant<weir::native>>(), verdict::kept); }

CAUGHT(counter_one_too_few)
CAUGHT(counter_waits_for_equality)
CAUGHT(sense_without_flip)
CAUGHT(sense_counter_not_reset)
CAUGHT(sense_released_before_reset)
CAUGHT(condvar_flipped_without_mutex)
CAUGHT(condvar_one_pair_forgotten)
CAUGHT(sensor_with_sense)
CAUGHT(distributed_with_one_set)
CAUGHT(distributed_scan_too_short)
CAUGHT(distributed_sensor_released_ungathered)
CAUGHT(distributed_sensor_reset_too_late)
CAUGHT(combination_released_before_the_tree)

TEST(Mutant, DisseminationWithOneParity) {
  EXPECT_NE(judge(mutants::one_parity(plans::dissemination(members))), verdict::kept);
}
TEST(Mutant, DisseminationWithSwappedPartners) {
  EXPECT_NE(judge(mutants::swapped_partners(plans::dissemination(8), 0, 1)), verdict::kept);
}
TEST(Mutant, ButterflyWithOneParity) {
  EXPECT_NE(judge(mutants::one_parity(plans::butterfly(members))), verdict::kept);
}
TEST(Mutant, ButterflyWithSwappedPartners) {
  EXPECT_NE(judge(mutants::swapped_partners(plans::butterfly(members), 1, 2)), verdict::kept);
}
TEST(Mutant, McsRootForgetsAChild) { EXPECT_NE(judge(mutants::impatient(plans::mcs(members), 0)), verdict::kept); }
TEST(Mutant, TreeParentForgetsAChild) {
  EXPECT_NE(judge(mutants::impatient(plans::tree(members, 2, 2), 1)), verdict::kept);
}
TEST(Mutant, TournamentWinnerForgetsItsLoser) {
  EXPECT_NE(judge(mutants::impatient(plans::tournament(members), 2)), verdict::kept);
}
TEST(Mutant, TournamentTreeWinnerForgetsItsLoser) {
  EXPECT_NE(judge(mutants::impatient(plans::tournament(members, plans::wake_up::tree), 2)), verdict::kept);
}
TEST(Mutant, ByLevelsWithOneParity) {
  EXPECT_NE(judge(mutants::one_parity(plans::by_name("levels:2by2down2-pairs", 8).value())), verdict::kept);
}
TEST(Mutant, ByLevelsAFirstForgetsItsGroup) {
  EXPECT_NE(judge(mutants::impatient(plans::by_name("levels:4by4down3-by2down2", 8).value(), 4)), verdict::kept);
}

}  // namespace
