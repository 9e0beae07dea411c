// Threads ask for a call, and the monitor forgets it.
#include "threads/program/next_call.hpp"

#include <gtest/gtest.h>

namespace {

using weir::threads::next_call;

bool some() { return true; }
bool none() { return false; }

TEST(NextCall, IsAskedForOnce) {
  next_call its;
  EXPECT_FALSE(its.is_to_come());
  EXPECT_TRUE(its.ask_for(7));
  EXPECT_TRUE(its.is_to_come());
  EXPECT_FALSE(its.ask_for(8));
  EXPECT_EQ(its.at(), 7u);
}

TEST(NextCall, IsForgottenWhereThereAreFewThreads) {
  next_call its;
  its.ask_for(7);
  EXPECT_TRUE(its.forget(none));
  EXPECT_FALSE(its.is_to_come());
  EXPECT_TRUE(its.ask_for(8));
}

// It has seen that a call is to come, and does not ask.
TEST(NextCall, AThreadThatComesWhileTheMonitorForgetsItIsSeen) {
  next_call its;
  its.ask_for(7);
  bool are_too_many = false;
  const bool has_been_asked = its.is_to_come();
  EXPECT_FALSE(its.forget([&] { return has_been_asked && (are_too_many = true); })) << "the monitor would sleep";
  EXPECT_TRUE(are_too_many);
  EXPECT_FALSE(its.forget(some));
}

}  // namespace
