// The explorer itself, on programs whose outcomes are known.
#include <gtest/gtest.h>

#include <set>

#include "simulator/explorer/explored.hpp"
#include "simulator/explorer/explorer.hpp"

namespace {

using namespace weir::explorer;
using word = explored::word<std::uint32_t>;

/// Finds whether an outcome is possible: `body` waits for ever where it is met.
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

TEST(Litmus, MessagePassingHoldsInBoth) {
  for (const auto memory : {memory_model::sc, memory_model::tso})
    for (const bool reduce : {false, true})
      EXPECT_TRUE(explore(program(2, message_passing), {.memory = memory, .reduce = reduce}).holds);
}

void two_stores_each(two_words& w, unsigned m) {
  (m == 0 ? w.x : w.y).store(1, std::memory_order_relaxed);
  (m == 0 ? w.x : w.y).store(2, std::memory_order_relaxed);
}

TEST(Interleavings, AreCounted) {
  // Two members with two steps each: 4! / (2! 2!).
  const verdict all = explore(program(2, two_stores_each), {.reduce = false});
  EXPECT_EQ(all.reached.schedules, 6);
  EXPECT_EQ(all.reached.states, 9u);
  // They touch different words, so one order stands for all.
  EXPECT_EQ(explore(program(2, two_stores_each)).reached.schedules, 1);
  // Two stores and two drains each, a drain after its store: two orders (sdsd, ssdd) within a member,
  // and 8! / (4! 4!) ways to merge them.
  EXPECT_EQ(explore(program(2, two_stores_each), {.memory = memory_model::tso, .reduce = false}).reached.schedules,
            2 * 2 * 70);
}

}  // namespace
