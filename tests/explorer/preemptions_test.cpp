// Searches that are bounded by preemptions: what they find, and that the reduction leaves out nothing within the bound.
#include <gtest/gtest.h>

#include <string_view>

#include "simulator/explorer/explorer.hpp"
#include "simulator/explorer/subjects.hpp"

namespace {

using namespace weir::explorer;

/// Member 1 sees both values of a word only if each member is stopped once although it could go on.
subject seeing_both() {
  subject s;
  s.build = []() -> subject::body {
    return [word = new explored::word<std::uint32_t>(0)](unsigned member) {
      if (member == 0) {
        word->store(1, std::memory_order_relaxed);
        word->store(2, std::memory_order_relaxed);
      } else if (word->load(std::memory_order_relaxed) == 1 && word->load(std::memory_order_relaxed) == 2) {
        explored::spin(*word, [](std::uint32_t) { return false; });
      }
    };
  };
  return s;
}

TEST(Preemptions, WhatNeedsTwoIsFoundWithTwo) {
  for (const bool reduce : {false, true}) {
    for (const unsigned most : {0u, 1u}) {
      const verdict v = explore(seeing_both(), {.reduce = reduce, .most_preemptions = most});
      EXPECT_TRUE(v.holds && v.complete) << most;
    }
    EXPECT_FALSE(explore(seeing_both(), {.reduce = reduce, .most_preemptions = 2}).holds);
  }
}

TEST(Preemptions, TheReductionLosesNothingWithinTheBound) {
  for (const memory_model memory : {memory_model::sc, memory_model::tso})
    for (const char* const waiting : {"spin", "block"})
      for (const char* const name : {"sense", "mcs", "tournament"})
        for (const unsigned most : {0u, 1u, 2u, 3u}) {
          const subject s = barrier_subject(name, waiting, explored_team(2), 2);
          const verdict whole = explore(s, {.memory = memory, .reduce = false, .most_preemptions = most});
          const verdict reduced = explore(s, {.memory = memory, .most_preemptions = most});
          EXPECT_TRUE(whole.holds && whole.complete && reduced.holds && reduced.complete) << name;
          // Where members block, dead data on their stacks tells equal states apart, differently on different ways to them.
          if (waiting == std::string_view("block")) continue;
          EXPECT_EQ(reduced.reached.local_states, whole.reached.local_states) << name << ' ' << most;
          EXPECT_LE(reduced.reached.states, whole.reached.states) << name;
        }
}

TEST(Preemptions, ABoundThatIsNeverReachedBoundsNothing) {
  const subject s = barrier_subject("sense", "block", explored_team(2), 1);
  const verdict unbounded = explore(s, {.reduce = false}), bounded = explore(s, {.reduce = false, .most_preemptions = 1000});
  EXPECT_EQ(unbounded.reached.local_states, bounded.reached.local_states);
}

}  // namespace
