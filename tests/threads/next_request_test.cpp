// Threads want requests, and the monitor forgets them.
#include "threads/program/attach_requests.hpp"

#include <gtest/gtest.h>

namespace {

using weir::threads::next_request;

bool some() { return true; }
bool none() { return false; }

TEST(NextRequest, IsWantedOnce) {
  next_request its;
  EXPECT_FALSE(its.is_to_come());
  EXPECT_TRUE(its.want_at(7));
  EXPECT_TRUE(its.is_to_come());
  EXPECT_FALSE(its.want_at(8));
  EXPECT_EQ(its.at(), 7u);
}

TEST(NextRequest, IsForgottenWhereThereAreFewThreads) {
  next_request its;
  its.want_at(7);
  EXPECT_TRUE(its.forget(none));
  EXPECT_FALSE(its.is_to_come());
  EXPECT_TRUE(its.want_at(8));
}

// It has seen that requests are to come, and wants none.
TEST(NextRequest, AThreadThatComesWhileTheMonitorForgetsItIsSeen) {
  next_request its;
  its.want_at(7);
  bool are_too_many = false;
  const bool is_known = its.is_to_come();
  EXPECT_FALSE(its.forget([&] { return is_known && (are_too_many = true); })) << "the monitor would sleep";
  EXPECT_TRUE(are_too_many);
  EXPECT_FALSE(its.forget(some));
}

}  // namespace
