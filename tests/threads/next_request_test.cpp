// Threads want requests, and the monitor forgets them.
#include "threads/program/attach_requests.hpp"

#include <gtest/gtest.h>

namespace {

using weir::threads::next_request;

bool some() { return true; }
bool none() { return false; }

TEST(NextRequest, IsWantedOnce) {
  next_request request;
  EXPECT_FALSE(request.is_to_come());
  EXPECT_TRUE(request.want_at(7));
  EXPECT_TRUE(request.is_to_come());
  EXPECT_FALSE(request.want_at(8));
  EXPECT_EQ(request.at(), 7u);
}

TEST(NextRequest, IsForgottenWhereThereAreFewThreads) {
  next_request request;
  request.want_at(7);
  EXPECT_TRUE(request.forget(none));
  EXPECT_FALSE(request.is_to_come());
  EXPECT_TRUE(request.want_at(8));
}

// It has seen that requests are to come, and wants none.
TEST(NextRequest, AThreadThatComesWhileTheMonitorForgetsItIsSeen) {
  next_request request;
  request.want_at(7);
  bool are_too_many = false;
  const bool is_known = request.is_to_come();
  EXPECT_FALSE(request.forget([&] { return is_known && (are_too_many = true); })) << "the monitor would sleep";
  EXPECT_TRUE(are_too_many);
  EXPECT_FALSE(request.forget(some));
}

}  // namespace
