// The cost of an access, whom it delays, and which copies it invalidates; and the order of events.
#include "simulator/memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "plain_machine.hpp"
#include "simulator/events.hpp"
#include "simulator/probe.hpp"

namespace weir::simulator {
namespace {

using plain::machine;

struct alignas(128) word {
  int value = 0;
};

double ns(time t) { return in_ns(t); }

TEST(Events, ComeInOrderOfTimeAndOfOneMomentInTheOrderMade) {
  std::mt19937_64 random(1);
  event_queue queue;
  std::vector<std::pair<time, std::uint32_t>> expected;  // time, number
  time now = 0;
  std::uint32_t made = 0;
  for (int step = 0; step < 20'000; ++step) {
    if (random() % 5 < 3 || queue.empty()) {
      const time at = now + static_cast<time>(random() % (std::uint64_t{1} << (random() % 40)));
      queue.push(at, event_kind::resume, made, 0);
      const auto place =
          std::upper_bound(expected.begin(), expected.end(), at, [](time t, const auto& e) { return t < e.first; });
      expected.insert(place, {at, made++});
    } else {
      ASSERT_EQ(queue.next_at(), expected.front().first);
      const event e = queue.pop();
      ASSERT_EQ(e.at, expected.front().first);
      ASSERT_EQ(e.who, expected.front().second);
      expected.erase(expected.begin());
      now = e.at;
    }
  }
  EXPECT_EQ(queue.empty(), expected.empty());
}

TEST(Memory, AFetchCostsTheDistanceAndThenTheLineIsThere) {
  const machine_model m = machine();
  memory memory(m);
  const word w;
  const line_id l = memory.line_at(&w);
  EXPECT_EQ(ns(memory.load(l, 0, 0)), 50 + 1);  // first touch: the memory beside it
  EXPECT_EQ(ns(memory.load(l, 0, from_ns(1000))), 1001);
  EXPECT_EQ(ns(memory.load(l, 1, from_ns(2000))), 2000 + 10 + 1);   // from the chip's other cache
  EXPECT_EQ(ns(memory.load(l, 7, from_ns(3000))), 3000 + 100 + 1);  // from the nearest copy
  EXPECT_EQ(memory.counts(l).misses, (std::vector<std::uint64_t>{2, 1}));
  EXPECT_EQ(memory.counts(l).hits, 1u);
}

TEST(Memory, CleanLinesMayComeFromHome) {
  machine_model m = machine();
  m.clean = clean_copy::home;
  memory memory(m);
  const word w;
  const line_id l = memory.line_at(&w);
  memory.load(l, 0, 0);
  EXPECT_EQ(ns(memory.load(l, 7, from_ns(1000))), 1000 + 150 + 1);
  EXPECT_EQ(ns(memory.load(l, 6, from_ns(2000))), 2000 + 10 + 1) << "within the nearest group caches answer all the same";
}

TEST(Memory, AWriteTakesAllOtherCopiesAndEachReaderFetchesAgain) {
  const machine_model m = machine();
  memory memory(m);
  const word w;
  const line_id l = memory.line_at(&w);
  for (unsigned p = 0; p < 8; ++p) memory.load(l, p, from_ns(1000 * p));
  EXPECT_EQ(ns(memory.write(l, 0, from_ns(10'000))), 10'000 + 100 + 1);  // the farthest copy has to answer
  EXPECT_EQ(memory.counts(l).invalidations, 7u);
  for (unsigned p = 1; p < 8; ++p) EXPECT_FALSE(memory.has_copy(l, p));
  EXPECT_TRUE(memory.owns(l, 0));
  EXPECT_EQ(ns(memory.write(l, 0, from_ns(20'000))), 20'000 + 1) << "the owner writes on";
  memory.load(l, 5, from_ns(30'000));
  EXPECT_FALSE(memory.owns(l, 0));
}

TEST(Memory, ReadersOfOneMomentQueueAtTheLine) {
  const machine_model m = machine();
  memory memory(m);
  const word w;
  const line_id l = memory.line_at(&w);
  memory.write(l, 0, 0);
  const time later = from_ns(1000);
  EXPECT_EQ(ns(memory.load(l, 2, later)), 1000 + 100 + 1);
  EXPECT_EQ(ns(memory.load(l, 4, later)), 1000 + 20 + 100 + 1);
  EXPECT_EQ(ns(memory.load(l, 6, later)), 1000 + 40 + 100 + 1);
}

TEST(Memory, ABusIsSharedButNotHeldByThoseWhoWaitForALine) {
  machine_model m = machine();
  m.distances[1].bus = from_ns(8);
  memory memory(m);
  const word a, b;
  const line_id la = memory.line_at(&a), lb = memory.line_at(&b);
  memory.write(la, 0, 0);
  memory.write(lb, 0, 0);
  const time later = from_ns(1000);
  EXPECT_EQ(ns(memory.load(la, 2, later)), 1000 + 100 + 1);
  EXPECT_EQ(ns(memory.load(la, 4, later)), 1000 + 20 + 100 + 1);  // waits for the line, its turn on the bus is over
  EXPECT_EQ(ns(memory.load(lb, 6, later)), 1000 + 16 + 100 + 1);  // behind two turns on the bus, not behind the line
}

TEST(Memory, AHomeServesTheRequestsFromBeyondItsGroupInTurn) {
  machine_model m = machine();
  m.home_busy = from_ns(30);
  m.homes = placement::first;
  memory memory(m);
  const word a, b, c;
  const time later = from_ns(1000);
  EXPECT_EQ(ns(memory.load(memory.line_at(&a), 2, later)), 1000 + 150 + 1);
  EXPECT_EQ(ns(memory.load(memory.line_at(&b), 4, later)), 1000 + 30 + 150 + 1);
  EXPECT_EQ(ns(memory.load(memory.line_at(&c), 1, later)), 1000 + 50 + 1) << "its own group does not wait";
}

TEST(Memory, HomesAreWhereTheyAreAskedFor) {
  const auto home_of = [](placement p, unsigned writer, unsigned reader) {
    machine_model m = machine();
    m.homes = p;
    memory memory(m);
    const word other, w;
    memory.line_at(&other);
    const line_id l = memory.line_at(&w);  // number 1
    memory.write(l, writer, 0);
    memory.load(l, reader, from_ns(1000));
    for (unsigned q = 0; q < 8; ++q)
      if (memory.is_home(l, q)) return q;
    return 99u;
  };
  EXPECT_EQ(home_of(placement::waiter, 3, 6), 6u);
  EXPECT_EQ(home_of(placement::first_touch, 3, 6), 3u);
  EXPECT_EQ(home_of(placement::interleaved, 3, 6), 1u);
  EXPECT_EQ(home_of(placement::first, 3, 6), 0u);
}

TEST(Memory, ARingIsGoneRoundInOneDirection) {
  machine_model m = machine();
  m.distances[1].ring = from_ns(7);
  memory memory(m);
  const std::array<word, 3> words;
  std::size_t next = 0;
  const auto fetch = [&](unsigned from, unsigned to) {
    const line_id l = memory.line_at(&words[next++]);
    const time begin = from_ns(1e6);
    memory.write(l, from, 0);
    return ns(memory.load(l, to, begin) - begin);
  };
  EXPECT_EQ(fetch(0, 2), 101);      // the next chip
  EXPECT_EQ(fetch(0, 4), 101 + 7);  // one hop more
  EXPECT_EQ(fetch(2, 0), 101 + 14); // on round the ring: three hops
}

TEST(Memory, WhatIsNotCachedCostsEachTimeAndModulesQueue) {
  machine_model m = machine();
  m.cached = caching::none;
  m.atomic = atomics::memory;
  m.homes = placement::first;
  memory memory(m);
  const word w;
  const line_id l = memory.line_at(&w);
  EXPECT_EQ(ns(memory.load(l, 2, 0)), 150);
  EXPECT_EQ(ns(memory.load(l, 2, from_ns(1000))), 1000 + 150);
  EXPECT_EQ(ns(memory.load(l, 4, from_ns(1000))), 1000 + 20 + 150);
  EXPECT_EQ(ns(memory.load(l, 0, from_ns(2000))), 2000 + 1) << "beside its memory, a reference costs as a hit does";
  EXPECT_FALSE(memory.has_copy(l, 2));
}

TEST(Memory, TwoWordsLieOnOneLineOrNot) {
  const machine_model m = machine();
  memory memory(m);
  alignas(64) const char bytes[128] = {};
  EXPECT_EQ(memory.line_at(bytes), memory.line_at(bytes + 63));
  EXPECT_NE(memory.line_at(bytes), memory.line_at(bytes + 64));
}

TEST(Probe, ATransferIsAnInvalidationAFetchAndAPoll) {
  const machine_model m = machine();
  const double near = one_transfer_ns(m, 0, 1), far = one_transfer_ns(m, 0, 6);
  EXPECT_GE(near, 2 * 10);
  EXPECT_LE(near, 2 * 10 + 10);
  EXPECT_GE(far, 2 * 100);
  EXPECT_LE(far, 2 * 100 + 10);
  EXPECT_THROW(one_transfer_ns(m, 0, 8), std::invalid_argument);
  EXPECT_THROW(one_transfer_ns(m, 3, 3), std::invalid_argument);
}

}  // namespace
}  // namespace weir::simulator
