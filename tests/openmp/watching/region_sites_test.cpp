// How regions compute: decided on a clock of the test's, which moves as a model of the machine says.
#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <weir/machine/topology.hpp>
#include <weir/team_barrier.hpp>

#include "openmp/teams/half.hpp"
#include "region_sites_model.hpp"

namespace {

using namespace region_sites_model;

TEST(RegionSites, ARegionWithLessWorkThanAForkComputesOnOneProcessor) {
  sites known;
  run(known, 0, divided(300), 10'000);
  EXPECT_EQ(chosen(known, 0), 1u);
  EXPECT_LT(run(known, 0, divided(300), 100'000).lost, 0.01 * 300 * 100'000);
}

TEST(RegionSites, AShortProgramIsNotTried) {
  sites known;
  const std::uint64_t end = made_clock::now + 29'000'000;
  while (made_clock::now < end) run(known, 0, divided(300), 1);
  known.for_each([](const region_site& s) { EXPECT_EQ(s.turn + s.joined + s.tried_at, 0u); });
}

TEST(RegionSites, ALongRegionKeepsAllProcessors) {
  sites known;
  const ran first = run(known, 0, divided(1e6), 1500);
  EXPECT_LT(first.lost, 5 * 1e6 / most);  // a trial ends as soon as it is clear
  const ran later = run(known, 0, divided(1e6), 100'000);
  EXPECT_EQ(chosen(known, 0), usual);
  const double lost = first.lost + later.lost;
  EXPECT_NEAR(static_cast<double>(known.lost_in_trials()), lost, 0.01 * lost);
  EXPECT_LT(later.lost, 0.01 * later.took);
}

// 000, section 4: more processors than the memory can feed.
TEST(RegionSites, RegionsThatWantTheSameMemoryTakeAsManyProcessorsAsItFeeds) {
  sites known;
  const cost memory_bound = [](unsigned p) { return 400e3 / std::min(p, 2u) + 30e3 * p; };
  run(known, 0, memory_bound, 20'000);
  EXPECT_EQ(chosen(known, 0), 2u);
  const ran then = run(known, 0, memory_bound, 200'000);
  EXPECT_LT(then.lost, 0.01 * then.took);
}

TEST(RegionSites, AChoiceIsForgottenWhenTheWorkChanges) {
  sites known;
  run(known, 0, divided(300), 20'000);
  ASSERT_EQ(chosen(known, 0), 1u);
  run(known, 0, divided(1e6), 3000);
  EXPECT_EQ(chosen(known, 0), usual);
  run(known, 0, divided(300), 100'000);
  EXPECT_EQ(chosen(known, 0), 1u);
}

double part_of_usual(const sites& known) {
  double found = 0;
  known.for_each([&](const region_site& s) { found = s.of_usual.middle; });
  return found;
}

// By two changes, from 8 processors to 4 and to 2; and after a change of the work as long as the usual form.
TEST(RegionSites, ASiteKnowsWhatItSaves) {
  sites known;
  const cost memory_bound = [](unsigned p) { return 400e3 / std::min(p, 2u) + 30e3 * p; };
  run(known, 0, memory_bound, 20'000);
  ASSERT_EQ(chosen(known, 0), 2u);
  EXPECT_NEAR(part_of_usual(known), memory_bound(2) / memory_bound(most), 0.01);
  run(known, 0, divided(4e6), 20'000);
  ASSERT_EQ(chosen(known, 0), usual);
  EXPECT_EQ(part_of_usual(known), 1);
}

// A team on one processor does not notice that the others have become free; only another trial tells.
TEST(RegionSites, AChoiceIsForgottenWhenTheMachineChanges) {
  sites known;
  const cost busy = [](unsigned p) { return p == 1 ? 100e3 : 300e3; };
  run(known, 0, busy, 20'000);
  ASSERT_EQ(chosen(known, 0), 1u);
  run(known, 0, divided(100e3), 20'000);
  EXPECT_EQ(chosen(known, 0), usual);
}

TEST(RegionSites, AlikeChoicesDoNotAlternate) {
  for (const double region : {5e3, 50e3}) {
    sites known;
    std::mt19937 random(1);
    std::uniform_real_distribution<double> noise(0.8, 1.2);
    unsigned changes = 0, last = usual;
    for (int i = 0; i < 1000; ++i) {
      run(known, 0, [&](unsigned) { return region * noise(random); }, 1000);
      if (const unsigned now = chosen(known, 0); now != last) ++changes, last = now;
    }
    EXPECT_LE(changes, 25u) << region;
  }
}

// A thread that loses its processor for a slice makes one window long, not the choice wrong.
TEST(RegionSites, LostSlicesDoNotDecide) {
  sites known;
  std::mt19937 random(2);
  std::uniform_int_distribution<int> one_of(1, 300);
  const auto disturbed = [&](double work) {
    return [&, work](unsigned p) { return divided(work)(p) + (one_of(random) == 1 ? 3e6 : 0); };
  };
  unsigned right = 0;
  for (int i = 0; i < 200; ++i) {
    run(known, 0, disturbed(300), 1000);
    right += chosen(known, 0) == 1 ? 1 : 0;
  }
  EXPECT_GT(right, 150u);
}

// Beside other programs a worker that moves waits for a slice.
TEST(RegionSites, TrialsCostAHundredthWhereMovingIsDear) {
  in_turn regions;
  const unsigned steps = 400'000;
  const double took = regions.run({50e3}, 3e6, steps);
  EXPECT_LT(took, 1.01 * steps * divided(50e3)(most));
  EXPECT_EQ(chosen(regions.known, 0), usual);
}

TEST(RegionSites, ShortRegionsInTurnChangeTogether) {
  in_turn regions;
  regions.run({300, 400, 350, 300}, 5000, 10'000);
  for (unsigned place = 0; place < 4; ++place) EXPECT_EQ(chosen(regions.known, place), 1u) << place;
}

TEST(RegionSites, AShortRegionAmongLongOnesStaysWhereTheWorkersAre) {
  in_turn regions;
  regions.run({300, 60e3, 60e3}, 20e3, 20'000);
  for (unsigned place = 0; place < 3; ++place) EXPECT_EQ(chosen(regions.known, place), usual) << place;
}

TEST(RegionSites, ShortRegionsDoNotWaitForALongerOne) {
  in_turn regions;
  regions.run({300, 300, 300, 100e3}, 100, 20'000);
  for (unsigned place = 0; place < 3; ++place) EXPECT_EQ(chosen(regions.known, place), 1u) << place;
  EXPECT_EQ(chosen(regions.known, 3), usual);
}

TEST(RegionSites, AProgramThatLeavesATrialBehindDoesNotStayInIt) {
  sites known;
  bool is_tried = false;
  for (unsigned i = 0; i < 100'000 && !is_tried; ++i) {
    is_tried = processors_of(known.begin(&places[1], most, most)) != most;
    made_clock::now += 1000;
    known.end();
  }
  ASSERT_TRUE(is_tried);
  run(known, 0, divided(300), 10'000);
  EXPECT_EQ(chosen(known, 0), 1u);
  EXPECT_EQ(chosen(known, 1), usual);
}

TEST(RegionSites, AProgramThatLeavesAPlaceWhileItIsTimedTriesOthers) {
  for (unsigned regions = 10; regions < 30; ++regions) {
    sites known;
    run(known, 1, divided(300), regions);
    run(known, 0, divided(300), 10'000);
    EXPECT_EQ(chosen(known, 0), 1u) << regions;
  }
}

TEST(RegionSites, AShareOfTheProcessorsThatChangesDoesNotDecide) {
  sites known;
  for (unsigned i = 0; i < 20'000; ++i) {
    run(known, 0, divided(1e6), 3, i % 2 == 0 ? 8 : 2);
    ASSERT_EQ(chosen(known, 0), usual);
  }
}

TEST(RegionSites, MorePlacesThanItHasRoomFor) {
  sites known;
  for (unsigned i = 0; i < 200'000; ++i) {
    const unsigned now = known.begin(&many[i % 200 * 16], 4, 4)[choice::processors];
    EXPECT_TRUE(now == usual || (now >= 1 && now < 4));
    EXPECT_TRUE(i % 200 < 64 || now == usual);
    made_clock::now += 1000;
    known.end();
  }
}

/// Two other barriers, and the time of a region by each of them.
using cost_by_barrier = std::function<double(unsigned barrier)>;
struct by_barriers {
  sites known{[](unsigned, unsigned processors) { return processors < most ? 0u : 2u; }};
  unsigned changes = 0, last = usual;

  ran run(const cost_by_barrier& of, unsigned regions, const cost& computing = divided(400e3, 0)) {
    ran sum;
    for (unsigned i = 0; i < regions; ++i) {
      const region_form form = known.begin(&places[0], most, most);
      const double best = computing(most) + std::min({of(0), of(1), of(usual)});
      const double took = computing(processors_of(form)) + of(form[choice::barrier]);
      made_clock::now += static_cast<std::uint64_t>(took);
      known.end();
      sum.took += took;
      sum.lost += took - best;
      if (const unsigned now = chosen(known, 0, choice::barrier); now != last) ++changes, last = now;
    }
    return sum;
  }
};
cost_by_barrier faster_by(unsigned which) {
  return [which](unsigned barrier) { return barrier == which ? 2e3 : 12e3; };
}

TEST(RegionSites, AFasterBarrierIsTaken) {
  for (const unsigned which : {0u, 1u, usual}) {
    by_barriers regions;
    regions.run(faster_by(which), 200'000);
    EXPECT_EQ(chosen(regions.known, 0, choice::barrier), which);
    EXPECT_EQ(chosen(regions.known, 0), usual) << which;
    const ran then = regions.run(faster_by(which), 200'000);
    EXPECT_LT(then.lost, 0.01 * then.took) << which;
    EXPECT_LE(regions.changes, 2u) << which;
  }
}

TEST(RegionSites, ABarrierIsForgottenWhenArrivalsChange) {
  by_barriers regions;
  for (const unsigned which : {1u, usual, 0u, 1u}) {
    regions.run(faster_by(which), 400'000);
    EXPECT_EQ(chosen(regions.known, 0, choice::barrier), which);
  }
}

TEST(RegionSites, AlikeBarriersDoNotAlternate) {
  by_barriers regions;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> noise(0.8, 1.2);
  regions.run([&](unsigned) { return 10e3; }, 1'000'000, [&](unsigned p) { return 400e3 / p * noise(random); });
  EXPECT_LE(regions.changes, 25u);
}

TEST(RegionSites, WhoComputesOnFewerProcessorsTriesNoBarrier) {
  by_barriers regions;
  const cost best_alone = [](unsigned p) { return p == 1 ? 20e3 : 400e3; };
  regions.run(faster_by(usual), 100'000, best_alone);
  ASSERT_EQ(chosen(regions.known, 0), 1u);
  for (unsigned i = 0; i < 100'000; ++i) {
    const region_form form = regions.known.begin(&places[0], most, most);
    ASSERT_EQ(form[choice::barrier], usual);
    made_clock::now += static_cast<std::uint64_t>(best_alone(processors_of(form)));
    regions.known.end();
  }
}

TEST(RegionSites, OtherBarriersAreOthersAndCanBeMade) {
  using namespace weir::openmp;
  for (const unsigned size : {9u, 16u, 17u, 32u, 33u, 64u, 500u}) {
    weir::team dedicated;
    dedicated.members = dedicated.processors = size;
    dedicated.usable = size;
    std::set<std::string> names{choose(dedicated, weir::topology({})).algorithm};
    const unsigned others = other_barriers(size, size);
    EXPECT_GE(others, 1u);
    for (unsigned which = 0; which < others; ++which) {
      const auto [name, arrival] = other_barrier_of(size, which);
      EXPECT_TRUE(names.insert(name).second) << name << " for " << size;
      EXPECT_EQ(weir::team_barrier<>(size, {.algorithm = name}).members(), size);
      EXPECT_NO_THROW(half::arrival(arrival, size, false)) << arrival;
    }
  }
  EXPECT_EQ(other_barriers(8, 64), 0u);
  EXPECT_EQ(other_barriers(64, 63), 0u);
}

TEST(RegionSites, ATeamWithoutOtherBarriersKeepsItsOwn) {
  sites known;
  for (unsigned i = 0; i < 100'000; ++i) {
    ASSERT_EQ(known.begin(&places[0], most, most)[choice::barrier], usual);
    made_clock::now += 50'000;
    known.end();
  }
}

}  // namespace
