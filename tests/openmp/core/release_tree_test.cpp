// The lines by which a release reaches the workers of a large team.
#include "openmp/core/release_tree.hpp"

#include <gtest/gtest.h>

#include <map>
#include <utility>

namespace {

using tree = weir::openmp::release_tree<16, 8>;

TEST(ReleaseTree, ReachesEachWorkerOfATeamThroughTheTeam) {
  for (const unsigned size : {17u, 18u, 24u, 25u, 64u, 65u, 72u, 73u, 513u, 5000u})
    for (unsigned worker = tree::in_common; worker < size; ++worker) {
      const unsigned parent = tree::parent(worker);
      ASSERT_LT(parent, worker);
      ASSERT_LT(tree::level(worker), tree::lines(parent, size)) << worker << " of " << size;
      ASSERT_TRUE(parent == 0 || parent >= tree::in_common) << worker;  // others have no lines
    }
}

TEST(ReleaseTree, HasFewReadersOfALineAndFewSteps) {
  std::map<std::pair<unsigned, unsigned>, unsigned> readers;
  for (unsigned worker = tree::in_common; worker < 4096; ++worker) {
    ++readers[{tree::parent(worker), tree::level(worker)}];
    unsigned steps = 0;
    for (unsigned at = worker; at != 0; at = tree::parent(at)) ++steps;
    EXPECT_LE(steps, 4u) << worker;
  }
  for (const auto& [line, number] : readers) EXPECT_LE(number, 7u) << line.first;
}

TEST(ReleaseTree, WritesNoLineForMembersThatAreNotInTheTeam) {
  for (const unsigned size : {2u, 16u, 17u, 40u, 64u, 65u, 600u})
    for (unsigned member = 0; member < size; ++member) {
      unsigned needed = 0;
      for (unsigned worker = tree::in_common; worker < size; ++worker)
        if (tree::parent(worker) == member) needed = std::max(needed, tree::level(worker) + 1);
      EXPECT_EQ(tree::lines(member, size), needed) << member << " of " << size;
    }
}

}  // namespace
