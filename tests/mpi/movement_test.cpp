// Whether an operation of MPI moves, from the times that calls take. No call of MPI is made here.
#include <gtest/gtest.h>

#include <deque>

#include "mpi/movement.hpp"

namespace {

using weir::mpi::movement;

constexpr double idle_us = 1, copies_us = 20;

struct waiter {
  movement moving;
  double now_us = 0;
  /// The calls take so long, one after the other; further ones are idle.
  void look(std::deque<double> calls) {
    moving.find_out(now_us, [&] {
      if (calls.empty()) return idle_us;
      const double took = calls.front();
      calls.pop_front();
      return took;
    });
  }
  bool is_awake() const { return moving.is_moving(now_us); }
  /// Looks after each sleep of 2 ms, and all the time while awake. The result is the part of the time awake.
  double awake_for(double all_us, const std::deque<double>& after_sleep) {
    const double end = now_us + all_us;
    double awake = 0;
    while (now_us < end) {
      look(after_sleep);
      for (; is_awake(); now_us += 5, awake += 5) look({});
      now_us += 2000;
    }
    return awake / all_us;
  }
};

TEST(Movement, NothingMovesAtFirst) {
  waiter w;
  w.look({});
  EXPECT_FALSE(w.is_awake());
}

TEST(Movement, OneLongCallAfterASleepIsNone) {
  waiter w;
  w.look({});
  w.look({copies_us, idle_us});
  EXPECT_FALSE(w.is_awake());
}

TEST(Movement, TwoLongCallsKeepTheWaiterAwakeForAMillisecond) {
  waiter w;
  w.look({});
  w.look({copies_us, copies_us});
  w.now_us = 999;
  EXPECT_TRUE(w.is_awake());
  w.now_us = 1001;
  EXPECT_FALSE(w.is_awake());
}

// As on a busy machine, where each call after a sleep finds cold caches.
TEST(Movement, AlarmsInVainLetTheWaiterSleep) {
  waiter w;
  w.look({});
  EXPECT_LT(w.awake_for(3e6, {copies_us, copies_us}), 0.05);
}

TEST(Movement, WhatMovesAfterAlarmsInVainKeepsTheWaiterAwake) {
  waiter w;
  w.look({});
  w.awake_for(1e6, {copies_us, copies_us});
  w.look({copies_us, copies_us});
  w.now_us += 30;
  ASSERT_TRUE(w.is_awake());
  w.look({copies_us, copies_us});  // the next piece
  w.now_us += 900;
  EXPECT_TRUE(w.is_awake());
  // The next message is believed, too.
  w.now_us += 1e6;
  w.look({copies_us, copies_us});
  w.now_us += 900;
  EXPECT_TRUE(w.is_awake());
}

}  // namespace
