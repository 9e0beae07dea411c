// The words of an ordered loop's turns.
#include "openmp/teams/turns.hpp"

#include <gtest/gtest.h>

#include <map>
#include <weir/machine/native.hpp>

namespace {

using turns = weir::openmp::turns<weir::native>;

bool may_go(turns& t, std::uint64_t iteration) { return t.of(iteration).done >= t.done_before(iteration); }
void finish(turns& t, std::uint64_t end) { t.of(end).done = t.done_before(end); }

TEST(Turns, ComeInTheOrderOfTheLoop) {
  for (const unsigned members : {2u, 8u, 9u, 100u}) {
    turns t;
    for (const std::uint64_t trips : {10u, 1u, 500u, 0u, 100u}) {
      t.begin(trips, members);
      for (std::uint64_t done = 0; done < trips; ++done) {
        for (std::uint64_t i = 0; i < trips; ++i) ASSERT_EQ(may_go(t, i), i <= done) << i << " after " << done;
        finish(t, done + 1);
      }
    }
  }
}

TEST(Turns, DoNotOverflow) {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  turns t;
  for (const std::uint64_t trips : {most, most, std::uint64_t{5}, most - 2}) {
    t.begin(trips, 100);
    EXPECT_TRUE(may_go(t, 0));
    EXPECT_FALSE(may_go(t, 1));
    EXPECT_FALSE(may_go(t, trips - 1));
    finish(t, trips);
  }
}

TEST(Turns, OfConsecutiveChunksHaveLinesOfTheirOwn) {
  constexpr unsigned members = 128;
  turns t;
  t.begin(1u << 20, members);
  for (const unsigned chunk : {1u, 2u, 3u, 7u, 8u, 64u, 100u, 1024u}) {
    std::map<const void*, unsigned> waiters;
    for (unsigned c = 0; c < members; ++c) ++waiters[&t.of(c * chunk)];
    for (const auto& [line, number] : waiters) EXPECT_LE(number, 4u) << "chunks of " << chunk;
  }
}

}  // namespace
