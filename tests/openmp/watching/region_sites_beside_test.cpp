// How regions compute beside other programs, which take processors from their members.
#include <cstdint>
#include <random>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "region_sites_model.hpp"

namespace {

using namespace region_sites_model;

TEST(RegionSites, BesideFewOtherProgramsTrialsAreRare) {
  for (const double busy : {0.01, 0.1}) {
    const others_run beside(busy);
    sites known;
    const auto before = run_for(known, 3990 * ms, divided(3000));
    EXPECT_EQ(chosen(known, 0), busy > 0.05 ? usual : 2) << before.took;
    run_for(known, 1 * seconds, divided(3000));
    EXPECT_NE(chosen(known, 0), usual);
  }
}

/// All members must have their processors at once; one processor is enough for all.
double in_step(unsigned processors) { return processors == 1 ? 24e3 : 500e3; }

TEST(RegionSites, MembersThatWaitForSlicesSoonComputeOnOneProcessor) {
  for (const unsigned may_take : {2u, most}) {
    const others_run beside(0.7);
    sites known;
    const auto run_until = [&, begun = made_clock::now](double ticks) {
      std::set<unsigned> seen;
      while (made_clock::now < begun + static_cast<std::uint64_t>(ticks)) {
        const unsigned now = processors_of(known.begin(&places[0], most, may_take), may_take);
        seen.insert(now);
        made_clock::now += static_cast<std::uint64_t>(in_step(now));
        known.end();
      }
      return seen;
    };
    EXPECT_EQ(run_until(90 * ms), std::set{may_take}) << "a short program is not tried";
    run_until(may_take == 2 ? 450 * ms : 1 * seconds);  // what is plain is soon decided
    EXPECT_EQ(chosen(known, 0), 1u);
  }
}

TEST(RegionSites, WhenOtherProgramsHaveEndedAllProcessorsAreTakenSoon) {
  sites known;
  {
    const others_run beside(0.7);
    run_for(known, 2 * seconds, in_step);
    ASSERT_EQ(chosen(known, 0), 1u);
  }
  run_for(known, 2 * seconds, divided(24e3, 100));
  EXPECT_EQ(chosen(known, 0), usual);
}

// Each program on one processor disturbs no other one; with more it would.
TEST(RegionSites, ToTryMoreProcessorsAgainCostsAHundredth) {
  sites known;
  {
    const others_run beside(0.7);
    run_for(known, 2 * seconds, in_step);
  }
  const ran spent = run_for(known, 60 * seconds, in_step);
  EXPECT_EQ(chosen(known, 0), 1u);
  EXPECT_LT(spent.lost, 0.01 * spent.took);
}

TEST(RegionSites, ATrialInVainBesideOtherProgramsCostsAHundredth) {
  const others_run beside(0.7);
  sites known;
  const ran spent = run_for(known, 60 * seconds, divided(1.6e6, 1000));
  EXPECT_EQ(chosen(known, 0), usual);
  EXPECT_LT(spent.lost, 0.01 * spent.took);
}

TEST(RegionSites, ARegionThatOutlastsSlicesIsTriedLateBesideOthers) {
  const others_run beside(0.7);
  const cost independent = [](unsigned p) { return 24e6 / p; };
  sites known;
  EXPECT_EQ(run_for(known, 280 * ms, independent).lost, 0);
  const ran spent = run_for(known, 60 * seconds, independent);
  EXPECT_GT(spent.lost, 0);
  EXPECT_LT(spent.lost, 0.01 * spent.took);
}

// Alike, but others take some slices.
TEST(RegionSites, LostSlicesBesideOtherProgramsDoNotAlternateChoices) {
  const others_run beside(0.7);
  sites known;
  std::mt19937 random(3);
  std::bernoulli_distribution is_taken(0.5);
  unsigned changes = 0, last = usual;
  for (int slice = 0; slice < 200'000; ++slice) {
    run_for(known, 3 * ms, [taken = is_taken(random)](unsigned) { return taken ? 500e3 : 50e3; });
    if (const unsigned now = chosen(known, 0); now != last) ++changes, last = now;
  }
  EXPECT_LE(changes, 20u);
  known.for_each([](const region_site& s) { EXPECT_LE(s.turn, 1200u) << "trials, one in half a second"; });
}

TEST(RegionSites, BesideOtherProgramsRegionsInTurnChangeTogether) {
  const others_run beside(0.7);
  in_turn regions;
  const auto end = made_clock::now + static_cast<std::uint64_t>(2 * seconds);
  while (made_clock::now < end) {
    for (unsigned place = 0; place < 4; ++place) {
      const unsigned now = processors_of(regions.known.begin(&places[place], most, most));
      made_clock::now += static_cast<std::uint64_t>(in_step(now) + (place == 3 ? 900e3 : 0) + (now != regions.last ? 100e3 : 0));
      regions.last = now;
      regions.known.end();
    }
  }
  for (unsigned place = 0; place < 4; ++place) EXPECT_EQ(chosen(regions.known, place), 1u) << place;
}

/// As a program sees the machine that has waited for its processors for so long.
template <unsigned Program>
struct clock_of : made_clock {
  static inline double waited = 0;
  static std::uint64_t waited_for_processor() { return static_cast<std::uint64_t>(waited); }
};

// Two programs of two threads on two processors. Both are better off with one processor each, but who has one alone shares it
// with a member of the other, and keeps this one waiting.
TEST(RegionSites, ProgramsSideBySideFindTogetherThatOneProcessorEachIsBetter) {
  struct {
    double region, waited;
  } constexpr with[2][2] = {{{14.1e3, 0}, {21e3, 0.35}},
                            {{16e3, 0.3}, {15e3, 0.35}}};  // by the processors less 1, its own and the other's
  constexpr int runs = 20;
  int settled = 0;
  double regions = 0;
  for (int run = 0; run < runs; ++run) {
    std::mt19937 random(static_cast<unsigned>(run));
    std::normal_distribution<double> by_slice(1, 0.05);
    weir::openmp::region_sites<clock_of<0>> first;
    made_clock::now += static_cast<std::uint64_t>(13 * run * ms);  // it comes so much later
    weir::openmp::region_sites<clock_of<1>> second;
    const double begun = static_cast<double>(made_clock::now);
    struct {
      unsigned has = 2;
      double at, slow = 1, slow_until = 0;
      bool is_in_region = false;
    } program[2] = {{.at = begun}, {.at = begun + 1}};
    while (program[0].at < begun + 2 * seconds) {
      const unsigned which = program[0].at <= program[1].at ? 0 : 1;
      auto& own = program[which];
      made_clock::now = static_cast<std::uint64_t>(own.at);
      const auto next = [&](auto& sites) {
        if (std::exchange(own.is_in_region, true)) sites.end(), ++regions;
        return processors_of(sites.begin(&places[0], 2, 2), 2);
      };
      own.has = which == 0 ? next(first) : next(second);
      if (own.at > own.slow_until) own.slow = by_slice(random), own.slow_until = own.at + 3 * ms;
      const auto& found = with[own.has - 1][program[1 - which].has - 1];
      const double took = found.region * own.slow;
      (which == 0 ? clock_of<0>::waited : clock_of<1>::waited) += took * found.waited;
      own.at += took;
    }
    if (program[0].has == 1 && program[1].has == 1) ++settled;
  }
  EXPECT_GE(settled, 15);
  EXPECT_GT(regions, 1.02 * runs * 2 * 2 * seconds / with[1][1].region) << "than if both had stayed on two";
}

// The place comes back after 40 other regions, each of which waits for a slice.
TEST(RegionSites, AHopelessTrialBesideOthersDoesNotWaitForThePlace) {
  const others_run beside(0.1);
  sites known;
  std::uint64_t longest = 0, since = made_clock::now;
  const auto end = made_clock::now + static_cast<std::uint64_t>(20 * seconds);
  while (made_clock::now < end)
    for (unsigned place = 0; place < 41; ++place) {
      const unsigned now = processors_of(known.begin(&many[16 * place], most, most));
      if (now == most) since = made_clock::now;
      made_clock::now += static_cast<std::uint64_t>(now == most ? 20e3 : 20 * ms);
      known.end();
      longest = std::max(longest, made_clock::now - since);
    }
  EXPECT_GT(longest, 19 * ms) << "none was tried";
  EXPECT_LT(longest, 250 * ms);
}

}  // namespace
