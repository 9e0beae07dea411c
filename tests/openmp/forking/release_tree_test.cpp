// By whom the workers of a large team are released.
#include "openmp/forking/release_tree.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using tree = weir::openmp::release_tree<16, 8>;

std::vector<unsigned> children(unsigned member, unsigned size) {
  std::vector<unsigned> found;
  tree::for_children(member, size, [&](unsigned child) { found.push_back(child); });
  return found;
}

TEST(ReleaseTree, ReachesEachWorkerOfATeamOnceFromItsParent) {
  for (const unsigned size : {1u, 2u, 16u, 17u, 18u, 24u, 25u, 64u, 65u, 72u, 73u, 513u, 5000u}) {
    std::vector<unsigned> reached(size, 0);
    for (unsigned member = 0; member < size; ++member)
      for (const unsigned child : children(member, size)) {
        ASSERT_LT(child, size);
        ASSERT_EQ(tree::parent(child), member) << child << " of " << size;
        ASSERT_TRUE(tree::passes_on(member)) << member;
        ++reached[child];
      }
    for (unsigned worker = 0; worker < size; ++worker)
      ASSERT_EQ(reached[worker], worker < tree::in_common ? 0 : 1) << worker << " of " << size;
  }
}

TEST(ReleaseTree, HasFewSteps) {
  for (unsigned worker = tree::in_common; worker < 4096; ++worker) {
    unsigned steps = 0;
    for (unsigned at = worker; at != 0; at = tree::parent(at)) ++steps;
    EXPECT_LE(steps, 4u) << worker;
  }
}

TEST(ReleaseTree, ReleasesThoseFirstWhoHaveMostBelowThem) {
  EXPECT_EQ(children(0, 600),
            (std::vector<unsigned>{512, 64, 128, 192, 256, 320, 384, 448, 16, 24, 32, 40, 48, 56}));
  EXPECT_EQ(children(64, 100), (std::vector<unsigned>{72, 80, 88, 96, 65, 66, 67, 68, 69, 70, 71}));
  EXPECT_EQ(children(72, 75), (std::vector<unsigned>{73, 74}));
  EXPECT_TRUE(children(73, 600).empty());
  EXPECT_TRUE(children(8, 600).empty()) << "it waits for the common line, as its neighbours do";
}

}  // namespace
