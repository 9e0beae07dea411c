// What tests of budgets share.
#pragma once

#include <gtest/gtest.h>

/// Counted is at most what is allowed, and not so much less that the budget should be lower.
inline void expect_near(double counted, double allowed, const char* what) {
  // The simulation is the same in each run. Other code may let another thread come first to a line.
  constexpr double rounded_up = 0.8, none = 0.5;
  EXPECT_LE(counted, allowed) << what;
  EXPECT_GE(counted, allowed <= 1 ? 0 : rounded_up * allowed - none) << what << " are fewer than the budget: lower it";
}
