// How regions compute: decided on a clock of the test's, which moves as a model of the machine says.
#include "openmp/core/region_sites.hpp"

#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <weir/machine/topology.hpp>
#include <weir/team_barrier.hpp>

#include "openmp/core/half.hpp"

namespace {

using weir::openmp::choice;
using weir::openmp::region_form;
using weir::openmp::region_site;

struct made_clock {
  static inline std::uint64_t now = 0;
  static inline double busy = 0;  // the part of the time for which others have the processor
  static std::uint64_t ticks() { return now; }
  static double ticks_per_microsecond() { return 1000; }
  static std::uint64_t waited_for_processor() { return static_cast<std::uint64_t>(busy * static_cast<double>(now)); }
};
using sites = weir::openmp::region_sites<made_clock>;

constexpr unsigned most = 8, usual = region_form::usual;
const char places[8] = {};
const char many[200 * 16] = {};

/// The processors that a region takes, of at most so many.
unsigned processors_of(const region_form& form, unsigned may_take = most) { return std::min<unsigned>(form[choice::processors], may_take); }

/// The time of a region, in ticks, by the number of its processors.
using cost = std::function<double(unsigned processors)>;
/// Work that is divided, and what a fork and a join cost with each further processor.
cost divided(double work, double each = 500) {
  return [=](unsigned processors) { return work / processors + each * (processors - 1); };
}
/// Executes regions of the place. Returns their time, and how much less the best number of processors would have taken.
struct ran {
  double took = 0, lost = 0;
};
ran run(sites& its, unsigned place, const cost& of, unsigned regions, unsigned may_take = most) {
  double best = of(1);
  for (unsigned p = 2; p <= may_take; ++p) best = std::min(best, of(p));
  ran all;
  for (unsigned i = 0; i < regions; ++i) {
    const double took = of(processors_of(its.begin(&places[place], most, may_take), may_take));
    made_clock::now += static_cast<std::uint64_t>(took);
    its.end();
    made_clock::now += 100;
    all.took += took;
    all.lost += took - best;
  }
  return all;
}
unsigned chosen(const sites& its, unsigned place, choice of = choice::processors) {
  unsigned found = 0;
  its.for_each([&](const region_site& s) {
    if (s.place == &places[place]) found = s.form[of];
  });
  return found;
}

TEST(RegionSites, ARegionWithLessWorkThanAForkComputesOnOneProcessor) {
  sites its;
  run(its, 0, divided(300), 10'000);
  EXPECT_EQ(chosen(its, 0), 1u);
  EXPECT_LT(run(its, 0, divided(300), 100'000).lost, 0.02 * 300 * 100'000);
}

TEST(RegionSites, AShortProgramIsNotTried) {
  sites its;
  const std::uint64_t end = made_clock::now + 29'000'000;
  while (made_clock::now < end) run(its, 0, divided(300), 1);
  its.for_each([](const region_site& s) { EXPECT_EQ(s.turn + s.joined + s.tried_at, 0u); });
}

/// Others have the processor for this part of the time, until the end of the scope.
struct others_run {
  explicit others_run(double part) { made_clock::busy = part; }
  ~others_run() { made_clock::busy = 0; }
};
constexpr double ms = 1e6, seconds = 1e9;
ran run_for(sites& its, double ticks, const cost& of) {
  const auto end = made_clock::now + static_cast<std::uint64_t>(ticks);
  ran all;
  while (made_clock::now < end) {
    const ran some = run(its, 0, of, 10);
    all.took += some.took, all.lost += some.lost;
  }
  return all;
}

TEST(RegionSites, BesideFewOtherProgramsTrialsAreRare) {
  for (const double busy : {0.01, 0.1}) {
    const others_run beside(busy);
    sites its;
    const auto before = run_for(its, 3990 * ms, divided(3000));
    EXPECT_EQ(chosen(its, 0), busy > 0.05 ? usual : 2) << before.took;
    run_for(its, 1 * seconds, divided(3000));
    EXPECT_NE(chosen(its, 0), usual);
  }
}

/// All members must have their processors at once; one processor is enough for all.
double in_step(unsigned processors) { return processors == 1 ? 24e3 : 500e3; }

TEST(RegionSites, MembersThatWaitForSlicesSoonComputeOnOneProcessor) {
  for (const unsigned may_take : {2u, most}) {
    const others_run beside(0.7);
    sites its;
    const auto run_until = [&, begun = made_clock::now](double ticks) {
      std::set<unsigned> seen;
      while (made_clock::now < begun + static_cast<std::uint64_t>(ticks)) {
        const unsigned now = processors_of(its.begin(&places[0], most, may_take), may_take);
        seen.insert(now);
        made_clock::now += static_cast<std::uint64_t>(in_step(now));
        its.end();
      }
      return seen;
    };
    EXPECT_EQ(run_until(90 * ms), std::set{may_take}) << "a short program is not tried";
    run_until(may_take == 2 ? 450 * ms : 1 * seconds);  // what is plain is soon decided
    EXPECT_EQ(chosen(its, 0), 1u);
  }
}

TEST(RegionSites, WhenOtherProgramsHaveEndedAllProcessorsAreTakenSoon) {
  sites its;
  {
    const others_run beside(0.7);
    run_for(its, 2 * seconds, in_step);
    ASSERT_EQ(chosen(its, 0), 1u);
  }
  run_for(its, 2 * seconds, divided(24e3, 100));
  EXPECT_EQ(chosen(its, 0), usual);
}

// Each program on one processor disturbs no other one; with more it would.
TEST(RegionSites, ToTryMoreProcessorsAgainCostsAHundredth) {
  sites its;
  {
    const others_run beside(0.7);
    run_for(its, 2 * seconds, in_step);
  }
  const ran all = run_for(its, 60 * seconds, in_step);
  EXPECT_EQ(chosen(its, 0), 1u);
  EXPECT_LT(all.lost, 0.02 * all.took);
}

TEST(RegionSites, ATrialInVainBesideOtherProgramsCostsAHundredth) {
  const others_run beside(0.7);
  sites its;
  const ran all = run_for(its, 60 * seconds, divided(1.6e6, 1000));
  EXPECT_EQ(chosen(its, 0), usual);
  EXPECT_LT(all.lost, 0.015 * all.took);
}

TEST(RegionSites, ARegionThatOutlastsSlicesIsTriedLateBesideOthers) {
  const others_run beside(0.7);
  const cost independent = [](unsigned p) { return 24e6 / p; };
  sites its;
  EXPECT_EQ(run_for(its, 280 * ms, independent).lost, 0);
  const ran all = run_for(its, 60 * seconds, independent);
  EXPECT_GT(all.lost, 0);
  EXPECT_LT(all.lost, 0.015 * all.took);
}

// Alike, but others take some slices.
TEST(RegionSites, LostSlicesBesideOtherProgramsDoNotAlternateChoices) {
  const others_run beside(0.7);
  sites its;
  std::mt19937 random(3);
  std::bernoulli_distribution is_taken(0.5);
  unsigned changes = 0, last = usual;
  for (int slice = 0; slice < 200'000; ++slice) {
    run_for(its, 3 * ms, [taken = is_taken(random)](unsigned) { return taken ? 500e3 : 50e3; });
    if (const unsigned now = chosen(its, 0); now != last) ++changes, last = now;
  }
  EXPECT_LE(changes, 20u);
  its.for_each([](const region_site& s) { EXPECT_LE(s.turn, 1200u) << "trials, one in half a second"; });
}

TEST(RegionSites, ALongRegionKeepsAllProcessors) {
  sites its;
  EXPECT_LT(run(its, 0, divided(1e6), 1500).lost, 5 * 1e6 / most);  // a trial ends as soon as it is clear
  const ran all = run(its, 0, divided(1e6), 100'000);
  EXPECT_EQ(chosen(its, 0), usual);
  EXPECT_LT(all.lost, 0.012 * all.took);
}

// 000, section 4: more processors than the memory can feed.
TEST(RegionSites, RegionsThatWantTheSameMemoryTakeAsManyProcessorsAsItFeeds) {
  sites its;
  const cost memory_bound = [](unsigned p) { return 400e3 / std::min(p, 2u) + 30e3 * p; };
  run(its, 0, memory_bound, 20'000);
  EXPECT_EQ(chosen(its, 0), 2u);
  const ran then = run(its, 0, memory_bound, 200'000);
  EXPECT_LT(then.lost, 0.02 * then.took);
}

TEST(RegionSites, AChoiceIsForgottenWhenTheWorkChanges) {
  sites its;
  run(its, 0, divided(300), 20'000);
  ASSERT_EQ(chosen(its, 0), 1u);
  run(its, 0, divided(1e6), 3000);
  EXPECT_EQ(chosen(its, 0), usual);
  run(its, 0, divided(300), 100'000);
  EXPECT_EQ(chosen(its, 0), 1u);
}

// A team on one processor does not notice that the others have become free; only another trial tells.
TEST(RegionSites, AChoiceIsForgottenWhenTheMachineChanges) {
  sites its;
  const cost busy = [](unsigned p) { return p == 1 ? 100e3 : 300e3; };
  run(its, 0, busy, 20'000);
  ASSERT_EQ(chosen(its, 0), 1u);
  run(its, 0, divided(100e3), 20'000);
  EXPECT_EQ(chosen(its, 0), usual);
}

TEST(RegionSites, AlikeChoicesDoNotAlternate) {
  for (const double region : {5e3, 50e3}) {
    sites its;
    std::mt19937 random(1);
    std::uniform_real_distribution<double> noise(0.8, 1.2);
    unsigned changes = 0, last = usual;
    for (int i = 0; i < 1000; ++i) {
      run(its, 0, [&](unsigned) { return region * noise(random); }, 1000);
      if (const unsigned now = chosen(its, 0); now != last) ++changes, last = now;
    }
    EXPECT_LE(changes, 25u) << region;
  }
}

// A thread that loses its processor for a slice makes one window long, not the choice wrong.
TEST(RegionSites, LostSlicesDoNotDecide) {
  sites its;
  std::mt19937 random(2);
  std::uniform_int_distribution<int> one_of(1, 300);
  const auto disturbed = [&](double work) {
    return [&, work](unsigned p) { return divided(work)(p) + (one_of(random) == 1 ? 3e6 : 0); };
  };
  unsigned right = 0;
  for (int i = 0; i < 200; ++i) {
    run(its, 0, disturbed(300), 1000);
    right += chosen(its, 0) == 1 ? 1 : 0;
  }
  EXPECT_GT(right, 150u);
}

/// Several places in turn, each of which pays if the workers are on other processors than in the region before.
struct in_turn {
  sites its;
  unsigned last = most;
  double run(std::initializer_list<double> works, double moving, unsigned steps) {
    double took = 0;
    for (unsigned i = 0; i < steps; ++i) {
      unsigned place = 0;
      for (const double work : works) {
        const unsigned now = processors_of(its.begin(&places[place++], most, most));
        const double all = divided(work)(now) + (now != last ? moving : 0);
        last = now;
        made_clock::now += static_cast<std::uint64_t>(all);
        its.end();
        took += all;
      }
    }
    return took;
  }
};

// Beside other programs a worker that moves waits for a slice.
TEST(RegionSites, TrialsCostAHundredthWhereMovingIsDear) {
  in_turn all;
  const unsigned steps = 400'000;
  const double took = all.run({50e3}, 3e6, steps);
  EXPECT_LT(took, 1.015 * steps * divided(50e3)(most));
  EXPECT_EQ(chosen(all.its, 0), usual);
}

TEST(RegionSites, BesideOtherProgramsRegionsInTurnChangeTogether) {
  const others_run beside(0.7);
  in_turn all;
  const auto end = made_clock::now + static_cast<std::uint64_t>(2 * seconds);
  while (made_clock::now < end) {
    for (unsigned place = 0; place < 4; ++place) {
      const unsigned now = processors_of(all.its.begin(&places[place], most, most));
      made_clock::now += static_cast<std::uint64_t>(in_step(now) + (place == 3 ? 900e3 : 0) + (now != all.last ? 100e3 : 0));
      all.last = now;
      all.its.end();
    }
  }
  for (unsigned place = 0; place < 4; ++place) EXPECT_EQ(chosen(all.its, place), 1u) << place;
}

// The place comes back after 40 other regions, each of which waits for a slice.
TEST(RegionSites, AHopelessTrialBesideOthersDoesNotWaitForThePlace) {
  const others_run beside(0.1);
  sites its;
  std::uint64_t longest = 0, since = made_clock::now;
  const auto end = made_clock::now + static_cast<std::uint64_t>(20 * seconds);
  while (made_clock::now < end)
    for (unsigned place = 0; place < 41; ++place) {
      const unsigned now = processors_of(its.begin(&many[16 * place], most, most));
      if (now == most) since = made_clock::now;
      made_clock::now += static_cast<std::uint64_t>(now == most ? 20e3 : 20 * ms);
      its.end();
      longest = std::max(longest, made_clock::now - since);
    }
  EXPECT_GT(longest, 19 * ms) << "none was tried";
  EXPECT_LT(longest, 250 * ms);
}

TEST(RegionSites, ShortRegionsInTurnChangeTogether) {
  in_turn all;
  all.run({300, 400, 350, 300}, 5000, 10'000);
  for (unsigned place = 0; place < 4; ++place) EXPECT_EQ(chosen(all.its, place), 1u) << place;
}

TEST(RegionSites, AShortRegionAmongLongOnesStaysWhereTheWorkersAre) {
  in_turn all;
  all.run({300, 60e3, 60e3}, 20e3, 20'000);
  for (unsigned place = 0; place < 3; ++place) EXPECT_EQ(chosen(all.its, place), usual) << place;
}

TEST(RegionSites, ShortRegionsDoNotWaitForALongerOne) {
  in_turn all;
  all.run({300, 300, 300, 100e3}, 100, 20'000);
  for (unsigned place = 0; place < 3; ++place) EXPECT_EQ(chosen(all.its, place), 1u) << place;
  EXPECT_EQ(chosen(all.its, 3), usual);
}

TEST(RegionSites, AProgramThatLeavesATrialBehindDoesNotStayInIt) {
  sites its;
  bool is_tried = false;
  for (unsigned i = 0; i < 100'000 && !is_tried; ++i) {
    is_tried = processors_of(its.begin(&places[1], most, most)) != most;
    made_clock::now += 1000;
    its.end();
  }
  ASSERT_TRUE(is_tried);
  run(its, 0, divided(300), 10'000);
  EXPECT_EQ(chosen(its, 0), 1u);
  EXPECT_EQ(chosen(its, 1), usual);
}

TEST(RegionSites, AProgramThatLeavesAPlaceWhileItIsTimedTriesOthers) {
  for (unsigned regions = 10; regions < 30; ++regions) {
    sites its;
    run(its, 1, divided(300), regions);
    run(its, 0, divided(300), 10'000);
    EXPECT_EQ(chosen(its, 0), 1u) << regions;
  }
}

TEST(RegionSites, AShareOfTheProcessorsThatChangesDoesNotDecide) {
  sites its;
  for (unsigned i = 0; i < 20'000; ++i) {
    run(its, 0, divided(1e6), 3, i % 2 == 0 ? 8 : 2);
    ASSERT_EQ(chosen(its, 0), usual);
  }
}

TEST(RegionSites, MorePlacesThanItHasRoomFor) {
  sites its;
  for (unsigned i = 0; i < 200'000; ++i) {
    const unsigned now = its.begin(&many[i % 200 * 16], 4, 4)[choice::processors];
    EXPECT_TRUE(now == usual || (now >= 1 && now < 4));
    EXPECT_TRUE(i % 200 < 64 || now == usual);
    made_clock::now += 1000;
    its.end();
  }
}

/// Two other barriers, and the time of a region by each of them.
using cost_by_barrier = std::function<double(unsigned barrier)>;
struct by_barriers {
  sites its{[](unsigned, unsigned processors) { return processors < most ? 0u : 2u; }};
  unsigned changes = 0, last = usual;

  ran run(const cost_by_barrier& of, unsigned regions, const cost& computing = divided(400e3, 0)) {
    ran all;
    for (unsigned i = 0; i < regions; ++i) {
      const region_form form = its.begin(&places[0], most, most);
      const double best = computing(most) + std::min({of(0), of(1), of(usual)});
      const double took = computing(processors_of(form)) + of(form[choice::barrier]);
      made_clock::now += static_cast<std::uint64_t>(took);
      its.end();
      all.took += took;
      all.lost += took - best;
      if (const unsigned now = chosen(its, 0, choice::barrier); now != last) ++changes, last = now;
    }
    return all;
  }
};
cost_by_barrier faster_by(unsigned which) {
  return [which](unsigned barrier) { return barrier == which ? 2e3 : 12e3; };
}

TEST(RegionSites, AFasterBarrierIsTaken) {
  for (const unsigned which : {0u, 1u, usual}) {
    by_barriers all;
    all.run(faster_by(which), 200'000);
    EXPECT_EQ(chosen(all.its, 0, choice::barrier), which);
    EXPECT_EQ(chosen(all.its, 0), usual) << which;
    const ran then = all.run(faster_by(which), 200'000);
    EXPECT_LT(then.lost, 0.015 * then.took) << which;
    EXPECT_LE(all.changes, 2u) << which;
  }
}

TEST(RegionSites, ABarrierIsForgottenWhenArrivalsChange) {
  by_barriers all;
  for (const unsigned which : {1u, usual, 0u, 1u}) {
    all.run(faster_by(which), 400'000);
    EXPECT_EQ(chosen(all.its, 0, choice::barrier), which);
  }
}

TEST(RegionSites, AlikeBarriersDoNotAlternate) {
  by_barriers all;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> noise(0.8, 1.2);
  all.run([&](unsigned) { return 10e3; }, 1'000'000, [&](unsigned p) { return 400e3 / p * noise(random); });
  EXPECT_LE(all.changes, 25u);
}

TEST(RegionSites, WhoComputesOnFewerProcessorsTriesNoBarrier) {
  by_barriers all;
  const cost best_alone = [](unsigned p) { return p == 1 ? 20e3 : 400e3; };
  all.run(faster_by(usual), 100'000, best_alone);
  ASSERT_EQ(chosen(all.its, 0), 1u);
  for (unsigned i = 0; i < 100'000; ++i) {
    const region_form form = all.its.begin(&places[0], most, most);
    ASSERT_EQ(form[choice::barrier], usual);
    made_clock::now += static_cast<std::uint64_t>(best_alone(processors_of(form)));
    all.its.end();
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
  sites its;
  for (unsigned i = 0; i < 100'000; ++i) {
    ASSERT_EQ(its.begin(&places[0], most, most)[choice::barrier], usual);
    made_clock::now += 50'000;
    its.end();
  }
}

}  // namespace
