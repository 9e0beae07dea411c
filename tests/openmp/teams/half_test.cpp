// The two halves of a barrier, as trees of which member signals which.
#include "openmp/teams/half.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <weir/barriers/plans.hpp>
#include <weir/team_barrier.hpp>

namespace weir::openmp {
namespace {

std::vector<std::string> halved_barriers() {
  std::vector<std::string> names;
  for (const algorithm& a : algorithms())
    if (a.halves) names.push_back(a.name);
  return names;
}

/// Every member except member 0 is the child of exactly one other member; member 0 is the root.
void expect_a_tree(const half& h, unsigned members, const std::string& what) {
  std::vector<unsigned> parents(members, members);
  for (unsigned m = 0; m < members; ++m)
    for (const unsigned child : h.of(m)) {
      ASSERT_LT(child, members) << what;
      EXPECT_EQ(parents[child], members) << what << ": " << child << " has two parents";
      parents[child] = m;
      EXPECT_EQ(h.of(child).parent, m) << what;
    }
  for (unsigned m = 1; m < members; ++m) {
    unsigned above = m;
    for (unsigned steps = 0; above != 0 && above < members && steps < members; ++steps) above = parents[above];
    EXPECT_EQ(above, 0u) << what << ": " << m << " is not below member 0";
  }
}

TEST(Half, IsATreeBelowTheFirstMember) {
  std::vector<std::string> names = halved_barriers();
  names.push_back("auto");
  for (const std::string& name : names)
    for (unsigned members = 1; members <= 70; ++members) {
      const std::string what = name + ", " + std::to_string(members);
      expect_a_tree(half::release(name, members), members, what + ", release");
      for (const bool oversubscribed : {false, true})
        expect_a_tree(half::arrival(name, members, oversubscribed), members, what + ", arrival");
    }
}

std::vector<unsigned> children(const half& h, unsigned member) { return {h.of(member).begin(), h.of(member).end()}; }
using numbers = std::vector<unsigned>;

TEST(Half, IsThatOfTheBarrierOfItsName) {
  EXPECT_EQ(children(half::arrival("mcs", 8, false), 0), (numbers{1, 2, 3, 4}));
  EXPECT_EQ(children(half::release("mcs", 8), 0), (numbers{1, 2}));
  EXPECT_EQ(children(half::arrival("tournament", 8, false), 0), (numbers{1, 2, 4}));
  EXPECT_EQ(children(half::arrival("tournament", 8, false), 4), (numbers{5, 6}));
  EXPECT_EQ(children(half::release("tournament-tree", 8), 0), (numbers{4, 2, 1}));
  EXPECT_EQ(children(half::arrival("distributed-sensor", 4, false), 0), (numbers{1, 2, 3}));
  for (const char* name : {"counter", "sense"}) {
    EXPECT_TRUE(half::arrival(name, 4, false).central());
    EXPECT_TRUE(half::release(name, 4).central());
  }
  EXPECT_TRUE(half::arrival("sensor", 4, false).central());  // one counter, and a sensor for each member
  EXPECT_FALSE(half::release("sensor", 4).central());
  EXPECT_FALSE(half::arrival("tournament", 4, false).central());
  EXPECT_TRUE(half::release("tournament", 4).central());  // the champion's flag
  EXPECT_EQ(children(half::arrival("linear", 4, false), 0), (numbers{1, 2, 3}));
  EXPECT_FALSE(half::arrival("linear", 4, false).central());
  EXPECT_TRUE(half::release("linear", 4).central());
}

TEST(Half, CountsTheMembersOfEachVirtualProcessor) {
  EXPECT_EQ(half::arrival("auto", 8, true, 2).groups(), 2u);
  EXPECT_EQ(half::arrival("auto", 200, true, 100).groups(), half::most_groups);
  EXPECT_TRUE(half::arrival("auto", 8, true, 2).central());
  EXPECT_EQ(half::arrival("auto", 8, true).groups(), 1u) << "threads of the kernel";
  EXPECT_EQ(half::arrival("sense", 8, true, 2).groups(), 1u) << "as asked";
  EXPECT_FALSE(half::arrival("auto", 2, false, 2).central()) << "a virtual processor each";
}

TEST(Half, GathersNearMembersOfALargeTeamFirst) {
  for (const unsigned near : {0u, 1u, 4u, 8u, 43u, 1000u})
    for (unsigned members = 17; members <= 200; members += members < 70 ? 1 : 13) {
      const half h = half::join("auto", members, false, 0, near);
      EXPECT_FALSE(h.central());
      expect_a_tree(h, members, "join, " + std::to_string(members) + " by " + std::to_string(near));
      if (near == 0) continue;
      for (unsigned m = 0; m < members; ++m)
        EXPECT_TRUE(m % near == 0 || h.of(m).parent / near == m / near) << m << " of " << members;
    }
  EXPECT_EQ(children(half::join("auto", 8, false, 0, 4), 0), children(half::arrival("auto", 8, false), 0)) << "a small team";
  EXPECT_TRUE(half::join("sense", 64, false, 0, 8).central()) << "as asked";
  EXPECT_TRUE(half::join("auto", 64, true, 0, 8).central()) << "members that share processors";
}

TEST(Half, ExistsForEachPlanWithTwoHalves) {
  const std::vector<std::string> names = halved_barriers();
  for (const plans::entry& e : plans::table) {
    EXPECT_EQ(std::count(names.begin(), names.end(), e.name), e.halves() ? 1 : 0) << e.name;
    if (e.halves()) continue;
    EXPECT_THROW(half::arrival(e.name, 4, false), std::invalid_argument) << e.name;
    EXPECT_THROW(half::release(e.name, 4), std::invalid_argument) << e.name;
  }
  EXPECT_THROW(half::release("condvar", 4), std::invalid_argument);
}

TEST(Half, HasOneFlagAtEverySizeOrAtNone) {
  EXPECT_TRUE(half::release("auto", 4).central());
  std::vector<std::string> names = halved_barriers();
  names.push_back("auto");
  for (const std::string& name : names)
    for (unsigned members = 1; members <= 9; ++members) {
      EXPECT_EQ(half::release(name, members).central(), half::release(name, 70).central()) << name << ", " << members;
      EXPECT_EQ(half::arrival(name, members, false).central(), half::arrival(name, 70, false).central())
          << name << ", " << members;
    }
}

TEST(Half, HasOneCounterInAnOversubscribedTeam) {
  EXPECT_TRUE(half::arrival("auto", 4, true).central());
  EXPECT_FALSE(half::arrival("auto", 4, false).central());
}

}  // namespace
}  // namespace weir::openmp
