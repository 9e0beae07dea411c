// How many processors a process under a quota should take, by what it has used of it.
#include <gtest/gtest.h>

#include "openmp/placing/quota_use.hpp"

namespace {

using weir::openmp::quota_use;

/// After so many looks, 50 ms apart, at a process that uses so much processor time in each second.
unsigned after(quota_use& use, int looks, double used_each_second, double& now, double& used, double quota = 1.5) {
  unsigned found = 0;
  for (int i = 0; i < looks; ++i) {
    now += 0.05;
    used += 0.05 * used_each_second;
    found = use.processors(4, quota, now, used);
  }
  return found;
}

TEST(QuotaUse, WhoComputesForAMomentHasAllProcessors) {
  quota_use use;
  double now = 1000, used = 5;
  EXPECT_EQ(after(use, 1, 4, now, used), 4u) << "nothing is known of the time before";
  EXPECT_EQ(after(use, 20, 0.5, now, used), 4u);
}

TEST(QuotaUse, WhoSpendsItHasAsManyAsItAmountsTo) {
  quota_use use;
  double now = 1000, used = 5;
  EXPECT_EQ(after(use, 5, 1.5, now, used), 2u);
  EXPECT_EQ(after(use, 20, 0.8, now, used), 2u) << "a program has serial parts";
  EXPECT_EQ(after(use, 8, 0.3, now, used), 4u);
  EXPECT_EQ(after(use, 8, 1.4, now, used), 2u);
}

TEST(QuotaUse, ThereIsOneProcessorAtLeastAndNoMoreThanTheMaskHas) {
  for (const auto& [quota, most] : {std::pair{0.1, 1u}, {1.0, 1u}, {3.2, 4u}, {16.0, 4u}}) {
    quota_use use;
    double now = 1000, used = 5;
    EXPECT_EQ(after(use, 5, quota, now, used, quota), most) << quota;
  }
}

}  // namespace
