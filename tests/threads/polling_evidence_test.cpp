// How often threads must be found to poll before all take seats.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "threads/program/polling_evidence.hpp"

namespace {

using weir::threads::polling_evidence;
using weir::threads::polling_loops;

/// After how many looks there is enough, of which each so manieth finds one that polls; most + 1: after none of them.
unsigned looks_until_enough(unsigned one_in, unsigned most) {
  polling_evidence evidence;
  for (unsigned i = 1; i <= most; ++i)
    if (evidence.add(i % one_in == 0)) return i;
  return most + 1;
}

TEST(PollingEvidence, AFewFindingsInARowAreEnough) { EXPECT_EQ(looks_until_enough(1, 100), polling_evidence::least); }

TEST(PollingEvidence, OneThatPollsByChanceIsNotEnough) {
  EXPECT_EQ(looks_until_enough(2 * polling_evidence::one_in, 100'000), 100'001U);
}

TEST(PollingEvidence, OneOfSoManyIsEnough) { EXPECT_LT(looks_until_enough(polling_evidence::one_in, 100), 100U); }

// Threads that have computed for a minute, and poll then.
TEST(PollingEvidence, WhatWasLongAgoIsForgotten) {
  polling_evidence evidence;
  for (int i = 0; i < 100'000; ++i) EXPECT_FALSE(evidence.add(false));
  unsigned looks = 1;
  while (!evidence.add(true)) ++looks;
  EXPECT_LE(looks, polling_evidence::remembered / 2);
}

/// Threads that have computed, and now wait for each other in turn, in a loop. The kernel runs them in turn, too: whoever gets a
/// processor has its turn, and polls after that. They are asked as the monitor asks. After how many milliseconds are they found
/// to poll? `most`: later, or not at all.
double ms_until_found(unsigned threads, std::size_t processors, double most) {
  constexpr double slice = 3, longest_distance = 128;
  constexpr std::uintptr_t first = 0x401000, last = first + 8;
  polling_evidence evidence;
  polling_loops loops;
  for (int i = 0; i < 1'000; ++i) evidence.add(false);
  const auto answers = [&](bool polls) {
    if (polls) loops.add(first, last);
    return evidence.add(polls || loops.has(first + 4));
  };
  std::vector<bool> asked(threads);
  std::deque<unsigned> running;
  double distance = 0.2, question = distance;
  unsigned me = 0, turn = 0;
  for (double now = 0; now < most; now += slice / static_cast<double>(processors), me = (me + 1) % threads) {
    running.push_back(me);
    if (running.size() > processors) running.pop_front();
    if (asked[me] && answers(turn != me)) return now;
    asked[me] = false;
    if (turn == me) turn = (turn + 1) % threads;
    if (now < question) continue;
    distance = std::min(2 * distance, longest_distance);
    question = now + distance;
    asked.assign(threads, true);
    for (const unsigned each : running) {
      if (answers(true)) return now;
      asked[each] = false;
    }
  }
  return most;
}

TEST(PollingEvidence, ThreadsWhoseWaitIsOverWhenTheyGetAProcessorAreFound) {
  EXPECT_LT(ms_until_found(8, 2, 20'000), 500);
  EXPECT_LT(ms_until_found(16, 2, 20'000), 500);
  EXPECT_LT(ms_until_found(64, 4, 20'000), 500);
}

TEST(PollingLoops, HaveTheirInstructions) {
  polling_loops loops;
  EXPECT_FALSE(loops.has(0));
  loops.add(0x7f0000001000, 0x7f0000001010);
  for (const std::uintptr_t code : {0x7f0000001000u, 0x7f0000001001u, 0x7f0000001010u}) EXPECT_TRUE(loops.has(code));
  for (const std::uintptr_t code : {0x7f0000000fffu, 0x7f0000001011u, 0x1000ul, 0ul}) EXPECT_FALSE(loops.has(code));
}

TEST(PollingLoops, TheOldestAreForgotten) {
  polling_loops loops;
  for (std::uintptr_t i = 0; i <= 16; ++i) loops.add(0x401000 + 64 * i, 0x401008 + 64 * i);
  EXPECT_FALSE(loops.has(0x401000));
  EXPECT_TRUE(loops.has(0x401000 + 64 * 16));
}

}  // namespace
