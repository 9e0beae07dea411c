// The order in which tasks and iterations are stolen: every other member once, the near ones first.
#include "openmp/worksharing/victims.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace {

std::vector<unsigned> order(unsigned me, unsigned members) {
  std::vector<unsigned> victims;
  weir::openmp::victims others(me, members);
  for (unsigned m = 0; others.next(m);) victims.push_back(m);
  return victims;
}

TEST(Victims, AreAllOthersOnce) {
  for (unsigned members = 1; members <= 130; ++members)
    for (unsigned me = 0; me < members; ++me) {
      const auto victims = order(me, members);
      const std::set<unsigned> once(victims.begin(), victims.end());
      ASSERT_EQ(victims.size(), members - 1) << me << " of " << members;
      ASSERT_EQ(once.size(), members - 1);
      ASSERT_FALSE(once.contains(me));
      ASSERT_TRUE(once.empty() || *once.rbegin() < members);
    }
}

TEST(Victims, OfANodeComeBeforeThoseBeyond) {
  for (const unsigned node : {2u, 4u, 8u, 32u})
    for (unsigned me = 0; me < 100; ++me) {
      bool left = false;
      for (const unsigned victim : order(me, 100)) {
        left = left || victim / node != me / node;
        ASSERT_EQ(victim / node == me / node, !left) << victim << " for " << me << " in nodes of " << node;
      }
    }
}

TEST(Victims, OfAllRangesAreThoseOfOne) {
  constexpr unsigned width = 8;
  for (const unsigned members : {5u, 16u, 100u})
    for (unsigned me = 0; me < members; ++me) {
      std::vector<unsigned> victims;
      for (unsigned at = 0; at < 128; at += width) {
        weir::openmp::victims others(me, members, at, at + width);
        for (unsigned m = 0; others.next(m);) {
          EXPECT_EQ(m / width, (me ^ at) / width);
          victims.push_back(m);
        }
      }
      EXPECT_EQ(victims, order(me, members));
    }
}

TEST(Victims, DifferAtEachStep) {
  for (unsigned step = 0; step < 31; ++step) {
    std::set<unsigned> met;
    for (unsigned me = 0; me < 32; ++me) met.insert(order(me, 32)[step]);
    EXPECT_EQ(met.size(), 32u);
  }
}

}  // namespace
