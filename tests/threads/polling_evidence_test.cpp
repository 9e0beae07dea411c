// How often threads must be found to poll before all take seats.
#include <gtest/gtest.h>

#include "threads/program/polling_evidence.hpp"

namespace {

using weir::threads::polling_evidence;

/// After how many looks there is enough, of which each so manieth finds one that polls; most + 1: after none of them.
unsigned looks_until_enough(unsigned one_in, unsigned most) {
  polling_evidence its;
  for (unsigned i = 1; i <= most; ++i)
    if (its.add(i % one_in == 0)) return i;
  return most + 1;
}

TEST(PollingEvidence, AFewFindingsInARowAreEnough) { EXPECT_EQ(looks_until_enough(1, 100), polling_evidence::least); }

TEST(PollingEvidence, OneThatPollsByChanceIsNotEnough) {
  EXPECT_EQ(looks_until_enough(2 * polling_evidence::one_in, 100'000), 100'001U);
}

TEST(PollingEvidence, OneOfSoManyIsEnough) { EXPECT_LT(looks_until_enough(polling_evidence::one_in, 100), 100U); }

// Threads that have computed for a minute, and poll then.
TEST(PollingEvidence, WhatWasLongAgoIsForgotten) {
  polling_evidence its;
  for (int i = 0; i < 100'000; ++i) EXPECT_FALSE(its.add(false));
  unsigned looks = 1;
  while (!its.add(true)) ++looks;
  EXPECT_LE(looks, polling_evidence::remembered / 2);
}

}  // namespace
