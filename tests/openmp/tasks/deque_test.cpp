// The queue of tasks, by one thread; explorer.deque has its interleavings.
#include "openmp/tasks/deque.hpp"

#include <gtest/gtest.h>

#include <weir/machine/native.hpp>

namespace {

using queue = weir::openmp::deque<weir::native, int, 8>;
constexpr auto any = [](const int*) { return true; };

TEST(Deque, HoldsATaskLessThanItHasSlots) {
  queue q;
  int tasks[8];
  for (unsigned i = 0; i < 7; ++i) EXPECT_TRUE(q.push(&tasks[i])) << i;
  EXPECT_FALSE(q.push(&tasks[7]));
  for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(q.steal(any), &tasks[i]);
  for (unsigned i = 7; i-- > 3;) EXPECT_EQ(q.pop(any), &tasks[i]);
  EXPECT_EQ(q.pop(any), nullptr);
  EXPECT_EQ(q.steal(any), nullptr);
}

// The slot behind the newest task is empty wherever tasks have been before, also where the owner took them.
TEST(Deque, HasNoTaskTwiceInAnyTurn) {
  queue q;
  int tasks[5];
  for (unsigned round = 0; round < 40; ++round) {
    for (int& t : tasks) ASSERT_TRUE(q.push(&t));
    EXPECT_FALSE(q.is_empty());
    for (unsigned i = 0; i < round % 6; ++i) EXPECT_EQ(q.steal(any), &tasks[i]);
    for (unsigned i = 5; i-- > round % 6;) EXPECT_EQ(q.pop(any), &tasks[i]);
    EXPECT_TRUE(q.is_empty());
    EXPECT_EQ(q.steal(any), nullptr);
  }
}

TEST(Deque, RefusesSomeTasksBeforeItLooksForRoomAgain) {
  constexpr unsigned refusals = 3;
  queue q;
  int t;
  while (q.push(&t, refusals)) {
  }
  ASSERT_NE(q.steal(any), nullptr);
  for (unsigned i = 0; i < refusals; ++i) EXPECT_FALSE(q.push(&t, refusals)) << i;
  EXPECT_TRUE(q.push(&t, refusals));
  EXPECT_FALSE(q.push(&t, refusals));
}

}  // namespace
