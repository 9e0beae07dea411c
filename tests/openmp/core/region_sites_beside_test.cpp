// How regions compute beside other programs, which take processors from their members.
#include <cstdint>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "region_sites_model.hpp"

namespace {

using namespace region_sites_model;

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

}  // namespace
