// All processes take the same way in each episode, whatever the judge finds. MPI is not initialised here.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "mpi/choice.hpp"
#include "mpi/learning.hpp"

namespace {

using weir::trials;
using weir::mpi::learning;

/// What the judge tells lies in a place that all read.
struct board {
  trials::course told;
  double now_us() const { return now; }
  void tell(const trials::course& next) { told = next; }
  trials::course hear() const { return told; }
  double now = 0;
};

struct job {
  explicit job(unsigned processes) : learners(processes, learning(3, 1000)) { learners[0].judge(0); }

  /// In an episode the processes arrive in any order; the judge may be the last. `took`: by the candidate.
  template <class Took>
  void pass(unsigned episodes, Took took) {
    for (; episodes != 0; --episodes) {
      std::shuffle(order.begin(), order.end(), random);
      std::vector<unsigned> candidates;
      for (const unsigned r : order) candidates.push_back(learners[r].begin(by));
      for (const unsigned c : candidates) ASSERT_EQ(c, candidates[0]);
      ++passes[candidates[0]];
      by.now += took(candidates[0]);
    }
  }

  std::vector<learning> learners;
  std::vector<unsigned> order{0, 1, 2, 3};
  board by;
  std::minstd_rand random{4};
  std::map<unsigned, unsigned> passes;
};

TEST(Learning, AllTakeTheSameWayWhateverIsFound) {
  job j(4);
  j.pass(300'000, [](unsigned c) { return c == 2 ? 4.0 : 5.0; });
  for (const learning& l : j.learners) EXPECT_EQ(l.chosen(), 2u);
  EXPECT_GT(j.passes[2], 200'000u);
  EXPECT_GT(j.passes[1], 0u);
  j.pass(3'000'000, [](unsigned c) { return c == 2 ? 40.0 : 12.0; });
  for (const learning& l : j.learners) EXPECT_NE(l.chosen(), 2u);
  EXPECT_LE(j.learners[0].lost_us(), 0.01 * j.by.now);
  for (const learning& l : j.learners) EXPECT_EQ(l.trials_so_far(), j.learners[0].trials_so_far());
}

weir::mpi::places on_nodes(unsigned nodes, unsigned each, bool oversubscribed) {
  weir::mpi::places p;
  for (unsigned n = 0; n < nodes; ++n) {
    p.nodes.emplace_back();
    for (unsigned i = 0; i < each; ++i) {
      p.nodes.back().push_back(n * each + i);
      p.node_of.push_back(n);
    }
  }
  p.oversubscribed = oversubscribed;
  p.seats = p.nodes;
  return p;
}

TEST(Others, AreBarriersForThesePlacesAndNotTheUsualOne) {
  for (const unsigned nodes : {1u, 2u, 3u, 16u})
    for (const unsigned each : {1u, 2u, 3u, 8u, 16u, 40u})
      for (const bool oversubscribed : {false, true}) {
        if (nodes * each < 3) continue;
        const auto p = on_nodes(nodes, each, oversubscribed);
        const auto usual = weir::mpi::choose(p, {});
        const auto others = weir::mpi::others(p, {}, usual);
        EXPECT_LT(others.size(), trials::most_candidates);
        EXPECT_EQ(others.empty(), nodes == 2 && each <= 2) << nodes << " nodes of " << each;
        for (const auto& other : others) {
          EXPECT_TRUE(other.within != usual.within || other.algorithm != usual.algorithm || other.radix != usual.radix);
          EXPECT_NO_THROW(weir::mpi::plan_for(p, other, {})) << other.algorithm << " within " << other.within;
        }
      }
}

TEST(Others, AreNoneWhereSomebodyHasChosen) {
  const auto p = on_nodes(1, 8, false);
  const auto none = [&](const weir::mpi::options& how, const weir::machine_profile* known = nullptr) {
    return weir::mpi::others(p, how, weir::mpi::choose(p, how, known), known).empty();
  };
  EXPECT_FALSE(none({}));
  EXPECT_TRUE(none({.algorithm = "mcs"}));
  EXPECT_TRUE(none({.within = "linear"}));
  EXPECT_TRUE(none({.within = "none"}));
  EXPECT_TRUE(none({.transport = "rma"}));
  weir::machine_profile known{.signature = "8 processors", .processors = 8, .date = "2026-11-25", .sizes = {}, .findings = {}};
  known.sizes[false] = {8};
  known.findings = {{8, false, "mcs", "dissemination", 1, 2}};
  EXPECT_TRUE(none({}, &known));
}

}  // namespace
