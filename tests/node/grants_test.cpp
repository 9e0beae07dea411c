// Which program gets which processors: what must hold whatever the programs say.
#include "node/grants.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace weir::node {
namespace {

claim of_weight(unsigned weight, unsigned processors, unsigned wants = processor_set::most) {
  return {.weight = weight, .wants = wants, .may_use = processor_set::first(processors), .holds = {}};
}
processor_set set(std::initializer_list<unsigned> numbers) {
  processor_set s;
  for (const unsigned p : numbers) s.add(p);
  return s;
}
std::vector<unsigned> counts(const std::vector<grant>& granted) {
  std::vector<unsigned> found;
  for (const grant& g : granted) found.push_back(g.processors.count());
  return found;
}
std::vector<claim> with_holds(std::vector<claim> claims, const std::vector<grant>& before) {
  for (std::size_t i = 0; i < claims.size(); ++i) claims[i].holds = before[i].processors;
  return claims;
}
using sizes = std::vector<unsigned>;

TEST(Grants, OneProgramHasWhatItWants) {
  EXPECT_TRUE(grants({}, 0).empty());
  EXPECT_EQ(counts(grants(std::vector{of_weight(1, 8)}, 3)), sizes{8});
  EXPECT_EQ(counts(grants(std::vector{of_weight(1, 8, 3)}, 3)), sizes{3});
  EXPECT_EQ(counts(grants(std::vector{claim{}}, 3)), sizes{0});  // it may use none
}

TEST(Grants, AreOfLargeMachinesToo) {
  const int large[] = {1023, 1024, 1791, 4095}, beyond[] = {0, 4096};
  const auto processors = processor_set::of(large);
  ASSERT_TRUE(processors);
  EXPECT_EQ(processors->count(), 4u);
  EXPECT_FALSE(processor_set::of(beyond));
  const auto granted = grants(std::vector<claim>(2, {.weight = 1, .wants = 4, .may_use = *processors, .holds = {}}), 0);
  EXPECT_EQ(counts(granted), (sizes{2, 2}));
  EXPECT_EQ(granted[0].processors | granted[1].processors, *processors);
}

TEST(Grants, SharesAreEqualForProgramsNotForThreads) {
  EXPECT_EQ(counts(grants(std::vector{of_weight(1, 8, 100), of_weight(1, 8, 8)}, 5)), (sizes{4, 4}));
  EXPECT_EQ(counts(grants(std::vector{of_weight(3, 8), of_weight(1, 8)}, 5)), (sizes{6, 2}));
}

TEST(Grants, WhatOneDoesNotWantGoesToTheOthersByWeight) {
  EXPECT_EQ(counts(grants(std::vector{of_weight(1, 8, 2), of_weight(1, 8), of_weight(2, 8)}, 7)), (sizes{2, 2, 4}));
}

TEST(Grants, WhatIsLeftOverGoesRound) {
  const std::vector three(3, of_weight(1, 8));
  sizes received(3);
  for (unsigned turn = 0; turn < 300; ++turn) {
    const auto granted = counts(grants(three, turn));
    EXPECT_EQ(std::accumulate(granted.begin(), granted.end(), 0u), 8u);
    for (std::size_t i = 0; i < 3; ++i) received[i] += granted[i];
  }
  for (const unsigned a : received) EXPECT_NEAR(a / 300.0, 8 / 3.0, 0.03);
}

TEST(Grants, TheAverageOverTheTurnsIsTheShareByWeight) {
  const std::vector claims{of_weight(5, 7), of_weight(2, 7), of_weight(4, 7)};
  sizes received(3);
  for (unsigned turn = 0; turn < 400; ++turn) {
    const auto granted = counts(grants(claims, turn));
    for (std::size_t i = 0; i < 3; ++i) received[i] += granted[i];
  }
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(received[i] / 400.0, 7 * claims[i].weight / 11.0, 0.03);
}

TEST(Grants, WhoStaysKeepsItsProcessors) {
  std::vector claims{of_weight(1, 8)};
  claims = with_holds(claims, grants(claims, 0));
  claims.push_back(of_weight(1, 8));
  const auto two = grants(claims, 0);
  EXPECT_EQ(two[0].processors, set({0, 1, 2, 3}));
  EXPECT_EQ(two[1].processors, set({4, 5, 6, 7}));
  claims = with_holds(claims, two);
  claims.push_back(of_weight(2, 8));
  const auto three = grants(claims, 0);
  EXPECT_EQ(three[0].processors, set({0, 1}));
  EXPECT_EQ(three[1].processors, set({4, 5}));
  claims = with_holds(claims, three);
  claims.erase(claims.begin());
  EXPECT_EQ((grants(claims, 0)[0].processors & set({4, 5})), set({4, 5}));
}

TEST(Grants, AProgramWithFewProcessorsGetsThem) {
  std::vector claims{of_weight(1, 4), of_weight(1, 4)};
  claims[0].holds = set({0, 1});
  claims[1].may_use = set({0, 1});
  const auto granted = grants(claims, 0);
  EXPECT_EQ(granted[0].processors, set({2, 3}));
  EXPECT_EQ(granted[1].processors, set({0, 1}));
}

TEST(Grants, AChainOfProgramsMakesRoom) {
  // The last may use processor 0 only, which the first has, which may use 1, which the second has, which may use 2.
  std::vector<claim> claims(3);
  claims[0].may_use = set({0, 1});
  claims[1].may_use = set({1, 2});
  claims[2].may_use = set({0});
  claims[0].holds = set({0});
  claims[1].holds = set({1});
  for (const grant& g : grants(claims, 0)) {
    EXPECT_EQ(g.processors.count(), 1u);
    EXPECT_TRUE(g.alone);
  }
}

TEST(Grants, MoreProgramsThanProcessorsHaveTurns) {
  const std::vector three(3, of_weight(1, 2));
  std::vector<double> had(3);
  for (unsigned turn = 0; turn < 300; ++turn) {
    const auto granted = grants(three, turn);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(granted[i].processors.count(), 1u);
      had[i] += granted[i].waits ? 0 : 1;
    }
    EXPECT_EQ(std::ranges::count(granted, true, &grant::waits), 1);
    EXPECT_EQ(std::ranges::count(granted, true, &grant::alone), 2);
  }
  for (const double h : had) EXPECT_NEAR(h / 300, 2.0 / 3, 0.02);
}

TEST(Grants, TurnsHoldWeightsWhereSharesAreLessThanAProcessor) {
  std::vector<claim> claims;
  for (unsigned weight = 1; weight <= 8; ++weight) claims.push_back(of_weight(weight, 2));
  std::vector<double> had(8);
  for (unsigned turn = 0; turn < 1000; ++turn) {
    const auto granted = grants(claims, turn);
    for (std::size_t i = 0; i < 8; ++i) had[i] += granted[i].waits ? 0 : granted[i].processors.count();
  }
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(had[i] / 1000, 2.0 * static_cast<double>(i + 1) / 36, 0.01);
}

TEST(Grants, WhoHasLessThanAProcessorLeavesTheRestToOthers) {
  const std::vector claims{of_weight(3, 2), of_weight(1, 2)};
  double had = 0;
  for (unsigned turn = 0; turn < 300; ++turn) {
    const auto granted = grants(claims, turn);
    had += granted[0].processors.count();
    EXPECT_EQ(granted[1].waits, granted[0].processors.count() == 2);
  }
  EXPECT_NEAR(had / 300, 1.5, 0.02);
}

TEST(Grants, SmallSharesAreTakenTogether) {
  std::vector<claim> claims(11, of_weight(1, 12));
  claims[4].weight = 100;
  unsigned of_large = 0;
  for (unsigned turn = 0; turn < 100; ++turn) {
    const auto granted = grants(claims, turn);
    EXPECT_TRUE(granted[4].alone);
    of_large += granted[4].processors.count();
  }
  EXPECT_NEAR(of_large / 100.0, 12 * 100.0 / 110, 0.05);
}

// ---- whatever they say

struct dice {
  std::mt19937 engine;
  unsigned upto(unsigned most) { return std::uniform_int_distribution<unsigned>(0, most)(engine); }
};

std::vector<claim> anything(dice& d, bool same_mask) {
  const unsigned processors = 1 + d.upto(d.upto(9) == 0 ? 200 : 15);
  std::vector<claim> claims(1 + d.upto(11));
  for (claim& c : claims) {
    c.weight = d.upto(3) == 0 ? d.upto(4'000'000'000) : 1 + d.upto(4);
    c.wants = d.upto(3) == 0 ? d.upto(4'000'000'000) : d.upto(processors);
    for (unsigned p = 0; p < processors; ++p)
      if (same_mask || d.upto(2) != 0) c.may_use.add(p);
    for (unsigned p = 0; p < processors + 3; ++p)
      if (d.upto(3) == 0) c.holds.add(p);
  }
  return claims;
}

TEST(Grants, NoProcessorIsGrantedTwiceUnlessItIsShared) {
  dice d;
  for (unsigned trial = 0; trial < 3000; ++trial) {
    const auto claims = anything(d, trial % 2 == 0);
    const auto granted = grants(claims, trial);
    ASSERT_EQ(granted.size(), claims.size());
    ASSERT_EQ(granted, grants(claims, trial));
    for (unsigned p = 0; p < processor_set::most; ++p) {
      const auto has_it = [p](const grant& g) { return g.processors.has(p) && !g.waits; };
      if (std::ranges::count_if(granted, has_it) < 2) continue;
      for (const grant& g : granted) EXPECT_FALSE(has_it(g) && g.alone) << trial;
    }
    for (std::size_t i = 0; i < granted.size(); ++i) {
      EXPECT_TRUE((granted[i].processors - claims[i].may_use).empty());
      EXPECT_LE(granted[i].processors.count(), std::max(claims[i].wants, 1u));
      // The minimum, whatever the others say.
      if (!claims[i].may_use.empty()) { EXPECT_GE(granted[i].processors.count(), 1u); }
    }
    if (trial % 2 != 0) continue;  // masks that differ may force programs together
    auto limited = claims;
    for (claim& c : limited) c.wants = std::clamp(c.wants, 1u, c.may_use.count());
    const auto share = shares(limited, claims[0].may_use.count());
    for (std::size_t i = 0; i < granted.size(); ++i)
      if (share[i] >= std::uint64_t{1} << 32) { EXPECT_TRUE(granted[i].alone) << trial; }
  }
}

TEST(Grants, NothingIsLeftThatSomebodyWants) {
  dice d;
  for (unsigned trial = 0; trial < 3000; ++trial) {
    const auto claims = anything(d, trial % 2 == 0);
    const auto granted = grants(claims, trial);
    processor_set taken;
    for (const grant& g : granted) taken |= g.processors;
    for (std::size_t i = 0; i < granted.size(); ++i)
      if (granted[i].processors.count() < claims[i].wants) { EXPECT_TRUE((claims[i].may_use - taken).empty()) << trial; }
  }
}

TEST(Grants, NobodyIsMoreThanOneProcessorOffItsShare) {
  dice d;
  for (unsigned trial = 0; trial < 3000; ++trial) {
    auto claims = anything(d, true);
    const unsigned processors = claims[0].may_use.count();
    for (claim& c : claims) c.wants = std::clamp(c.wants, 1u, processors);
    const auto shares_of = shares(claims, processors);
    const auto granted = grants(claims, trial);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < granted.size(); ++i) {
      sum += shares_of[i];
      const double share = static_cast<double>(shares_of[i]) / 4294967296.0;
      EXPECT_LT(std::abs(granted[i].processors.count() - share), 1.0 + 1e-6) << trial;
    }
    EXPECT_LE(sum, std::uint64_t{processors} << 32);
  }
}

// Programs do not write what they hold at the same time: whoever has read the others' entries half way finds the same.
TEST(Grants, TheyHoldAlsoWhileProgramsWriteThemDown) {
  dice d;
  for (unsigned trial = 0; trial < 1000; ++trial) {
    auto claims = anything(d, true);
    const auto granted = grants(claims, trial);
    if (!std::ranges::all_of(granted, &grant::alone)) continue;
    for (std::size_t i = 0; i < claims.size(); ++i) {
      const std::size_t who = d.upto(static_cast<unsigned>(claims.size()) - 1);
      claims[who].holds = granted[who].processors;
      ASSERT_EQ(grants(claims, trial), granted) << trial;
    }
  }
}

TEST(Grants, WhenOneLeavesTheOthersLoseNothing) {
  dice d;
  for (unsigned trial = 0; trial < 1000; ++trial) {
    auto claims = anything(d, true);
    const auto before = grants(claims, 0);
    if (!std::ranges::all_of(before, &grant::alone)) continue;
    claims = with_holds(claims, before);
    const unsigned gone = d.upto(static_cast<unsigned>(claims.size()) - 1);
    claims.erase(claims.begin() + gone);
    const auto after = grants(claims, 0);
    for (std::size_t i = 0; i < claims.size(); ++i) EXPECT_GE(after[i].processors.count() + 1, claims[i].holds.count()) << trial;
  }
}

}  // namespace
}  // namespace weir::node
