// The explorer itself, on programs whose outcomes are known.
#include <gtest/gtest.h>

#include <set>

#include "simulator/explorer/explored.hpp"
#include "simulator/explorer/explorer.hpp"

namespace {

using namespace weir::explorer;
using word = explored::word<std::uint32_t>;

/// Finds whether an outcome is possible: `body` waits for ever if it occurs.
template <class Words>
subject program(unsigned members, void (*body)(Words&, unsigned)) {
  subject s;
  s.members = members;
  s.build = [body]() -> subject::body {
    return [words = new Words, body](unsigned member) { body(*words, member); };
  };
  return s;
}

struct two_words {
  word x{0}, y{0}, seen_zero{0};
};
void wait_for_ever(const word& w) {
  explored::spin(w, [](std::uint32_t) { return false; });
}

void store_buffering(two_words& w, unsigned m) {
  (m == 0 ? w.x : w.y).store(1, std::memory_order_release);
  const bool zero = (m == 0 ? w.y : w.x).load(std::memory_order_acquire) == 0;
  if (zero && w.seen_zero.fetch_add(1) == 1) wait_for_ever(w.x);
}

TEST(Litmus, StoreBufferingHappensUnderTsoOnly) {
  for (const bool reduce : {false, true}) {
    const subject s = program(2, store_buffering);
    EXPECT_TRUE(explore(s, {.memory = memory_model::sc, .reduce = reduce}).holds);
    EXPECT_FALSE(explore(s, {.memory = memory_model::tso, .reduce = reduce}).holds);
  }
}

void fenced_on_one_side(two_words& w, unsigned m) {
  (m == 0 ? w.x : w.y).store(1, std::memory_order_release);
  if (m == 0) explored_kernel::heavy_fence();
  const bool zero = (m == 0 ? w.y : w.x).load(std::memory_order_acquire) == 0;
  if (zero && w.seen_zero.fetch_add(1) == 1) wait_for_ever(w.x);
}

TEST(Litmus, OneHeavyFenceIsEnoughAgainstStoreBuffering) {
  for (const bool reduce : {false, true})
    EXPECT_TRUE(explore(program(2, fenced_on_one_side), {.memory = memory_model::tso, .reduce = reduce}).holds);
}

void message_passing(two_words& w, unsigned m) {
  if (m == 0) {
    w.x.store(1, std::memory_order_relaxed);
    w.y.store(1, std::memory_order_release);
  } else if (w.y.load(std::memory_order_acquire) == 1 && w.x.load(std::memory_order_relaxed) == 0) {
    wait_for_ever(w.x);
  }
}

TEST(Litmus, MessagePassingHoldsInAll) {
  for (const auto memory : {memory_model::sc, memory_model::tso, memory_model::weak})
    for (const bool reduce : {false, true})
      EXPECT_TRUE(explore(program(2, message_passing), {.memory = memory, .reduce = reduce}).holds);
}

template <std::memory_order Store, std::memory_order Load>
void message_passing_by(two_words& w, unsigned m) {
  if (m == 0) {
    w.x.store(1, std::memory_order_relaxed);
    w.y.store(1, Store);
  } else if (w.y.load(Load) == 1 && w.x.load(std::memory_order_relaxed) == 0) {
    wait_for_ever(w.x);
  }
}

/// Whether it waits for ever under weak memory, with and without a reduction, and under no other model.
template <class Words>
bool only_weak(unsigned members, void (*body)(Words&, unsigned)) {
  const subject s = program(members, body);
  for (const auto memory : {memory_model::sc, memory_model::tso}) EXPECT_TRUE(explore(s, {.memory = memory}).holds);
  const bool holds = explore(s, {.memory = memory_model::weak}).holds;
  EXPECT_EQ(explore(s, {.memory = memory_model::weak, .reduce = false}).holds, holds);
  return !holds;
}

TEST(Weak, AMessageNeedsBothOrders) {
  using enum std::memory_order;
  EXPECT_TRUE(only_weak(2, message_passing_by<relaxed, acquire>));
  EXPECT_TRUE(only_weak(2, message_passing_by<release, relaxed>));
  EXPECT_FALSE(only_weak(2, message_passing_by<release, acquire>));
}

void passed_on(two_words& w, unsigned m) {
  if (m == 0) {
    w.x.store(1, std::memory_order_relaxed);
    w.y.store(1, std::memory_order_release);
  } else if (m == 1) {
    w.y.fetch_add(1, std::memory_order_relaxed);
  } else if (w.y.load(std::memory_order_acquire) == 2 && w.x.load(std::memory_order_relaxed) == 0) {
    wait_for_ever(w.x);
  }
}

TEST(Weak, AnUpdateContinuesAReleaseSequence) { EXPECT_FALSE(only_weak(3, passed_on)); }

void stores_twice(two_words& w, unsigned m) {
  if (m == 0) {
    w.x.store(1, std::memory_order_relaxed);
    w.x.store(2, std::memory_order_relaxed);
  } else if (w.x.load(std::memory_order_relaxed) == 2 && w.x.load(std::memory_order_relaxed) != 2) {
    wait_for_ever(w.x);
  }
}

TEST(Weak, AWordIsNeverReadBackwards) { EXPECT_FALSE(only_weak(2, stores_twice)); }

void independent_reads(two_words& w, unsigned m) {
  if (m < 2) return (m == 0 ? w.x : w.y).store(1, std::memory_order_release);
  const word &first = m == 2 ? w.x : w.y, &second = m == 2 ? w.y : w.x;
  const bool before = first.load(std::memory_order_acquire) == 1 && second.load(std::memory_order_acquire) == 0;
  if (before && w.seen_zero.fetch_add(1) == 1) wait_for_ever(w.x);
}

TEST(Weak, MembersMayDisagreeWhichOfTwoStoresWasFirst) { EXPECT_TRUE(only_weak(4, independent_reads)); }

TEST(Weak, AHeavyFenceIsEnoughAgainstStoreBuffering) {
  EXPECT_FALSE(explore(program(2, store_buffering), {.memory = memory_model::weak}).holds);
  EXPECT_TRUE(explore(program(2, fenced_on_one_side), {.memory = memory_model::weak}).holds);
}

TEST(Weak, OldValuesAreDrawnAtRandomToo) {
  const subject s = program(2, message_passing_by<std::memory_order_relaxed, std::memory_order_acquire>);
  EXPECT_FALSE(explore_at_random(s, {.memory = memory_model::weak, .schedules = 200}).holds);
  EXPECT_TRUE(explore_at_random(s, {.memory = memory_model::tso, .schedules = 200}).holds);
}

void two_stores_each(two_words& w, unsigned m) {
  (m == 0 ? w.x : w.y).store(1, std::memory_order_relaxed);
  (m == 0 ? w.x : w.y).store(2, std::memory_order_relaxed);
}

TEST(Interleavings, AreCounted) {
  // Two members with two steps each: 4! / (2! 2!).
  const verdict whole = explore(program(2, two_stores_each), {.reduce = false});
  EXPECT_EQ(whole.reached.schedules, 6);
  EXPECT_EQ(whole.reached.states, 9u);
  // They access different words, so one order represents all.
  EXPECT_EQ(explore(program(2, two_stores_each)).reached.schedules, 1);
  // Two stores and two drains each, a drain after its store: two orders (sdsd, ssdd) within a member,
  // and 8! / (4! 4!) ways to merge them.
  EXPECT_EQ(explore(program(2, two_stores_each), {.memory = memory_model::tso, .reduce = false}).reached.schedules,
            2 * 2 * 70);
}

}  // namespace
