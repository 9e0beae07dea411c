// The shapes of plans that go by nodes or levels; their proofs are with those of all plans (plan_test.cpp).
#include <gtest/gtest.h>
#include <weir/barriers/plans.hpp>
#include <weir/barriers/proof.hpp>

namespace {

using weir::plan;
using weir::prove;
using weir::step;
namespace plans = weir::plans;

// Up ceil(log4 P) rounds; down a binary tree of the nodes' firsts, and the binary tree of the last node.
TEST(CriticalPath, OfATournamentByNodesIsThatOfItsTrees) {
  EXPECT_EQ(prove(plans::tournament_by_nodes(64, 4, 4)).critical_path, 3u + 4 + 2);
  EXPECT_EQ(prove(plans::tournament_by_nodes(64, 4, 32)).critical_path, 3u + 1 + 5);
  EXPECT_EQ(prove(plans::tournament_by_nodes(64, 8, 64)).critical_path, 2u + 6);
  EXPECT_EQ(prove(plans::tournament_by_nodes(1, 4, 4)).critical_path, 0u);
  EXPECT_THROW(plans::tournament_by_nodes(4, 1, 4), std::invalid_argument);
  EXPECT_THROW(plans::tournament_by_nodes(4, 4, 0), std::invalid_argument);
}

// One signal enters each node in a release, and each flag has a line of its own.
TEST(TournamentByNodes, EntersEachNodeOnce) {
  const unsigned participants = 61, node = 8;
  const plan p = plans::tournament_by_nodes(participants, 4, node);
  EXPECT_EQ(p.lines, p.slots());
  std::vector<unsigned> signaller(p.slots());
  for (unsigned i = 0; i < participants; ++i)
    for (const step& s : p.scripts[i].release)
      if (s.act == step::action::signal) signaller[s.slot] = i;
  std::vector<unsigned> entered(participants / node + 1, 0);
  for (unsigned i = 0; i < participants; ++i)
    for (const step& s : p.scripts[i].release)
      if (s.act == step::action::await && signaller[s.slot] / node != i / node) ++entered[i / node];
  EXPECT_EQ(entered, (std::vector<unsigned>{0, 1, 1, 1, 1, 1, 1, 1}));
}

// Where one node has all participants, they are equally near. Up the tournament of a node, ceil(log4) rounds between the nodes,
// and down the tree of a node.
TEST(CriticalPath, OfAnExchangeByNodesIsThatOfItsParts) {
  EXPECT_EQ(prove(plans::exchange_by_nodes(64, 4)).critical_path, 1u + 2 + 1);
  EXPECT_EQ(prove(plans::exchange_by_nodes(128, 8)).critical_path, 2u + 2 + 1);
  EXPECT_EQ(prove(plans::exchange_by_nodes(64, 64)).critical_path, 3u) << "one node: dissemination alone";
  EXPECT_EQ(prove(plans::exchange_by_nodes(16, 1)).critical_path, 2u) << "dissemination alone";
  for (const unsigned nodes : {5u, 6u})
    EXPECT_EQ(prove(plans::exchange_by_nodes(8 * nodes, 8)).critical_path, 2u + 1 + 1) << nodes;
  for (const unsigned nodes : {7u, 16u, 17u, 24u, 25u})
    EXPECT_EQ(prove(plans::exchange_by_nodes(8 * nodes, 8)).critical_path, 2u + 2 + 1) << nodes;
  EXPECT_EQ(prove(plans::exchange_by_nodes(20, 64)).critical_path, 2u) << "20 in one node, where radix 4 needs 3 rounds";
  EXPECT_THROW(plans::exchange_by_nodes(4, 0), std::invalid_argument);
  EXPECT_THROW(plans::exchange_by_nodes(4, 4, 4, 8, 1), std::invalid_argument);
}

// Between nodes only their first participants signal each other.
TEST(ExchangeByNodes, LeavesANodeByItsFirstParticipant) {
  const unsigned participants = 61, node = 8;
  const plan p = plans::exchange_by_nodes(participants, node);
  std::vector<unsigned> signaller(p.slots()), waiter(p.slots());
  for (unsigned i = 0; i < participants; ++i)
    for (const auto* half : {&p.scripts[i].arrival, &p.scripts[i].release})
      for (const step& s : *half) (s.act == step::action::signal ? signaller : waiter)[s.slot] = i;
  for (unsigned slot = 0; slot < p.slots(); ++slot)
    if (signaller[slot] / node != waiter[slot] / node) {
      EXPECT_EQ(signaller[slot] % node, 0u);
      EXPECT_EQ(waiter[slot] % node, 0u);
    }
}

TEST(ByLevels, IsThatOfItsLevelsAndRefusesOthers) {
  EXPECT_EQ(prove(plans::by_levels(64, {{.size = 4, .ways = 4, .fan_out = 0}, {.size = 64}}, 2)).critical_path, 1u + 4 + 1);
  EXPECT_EQ(prove(plans::by_levels(64, {{.size = 64, .ways = 64, .fan_out = 64}})).critical_path, 2u);
  EXPECT_TRUE(plans::by_levels(9, {{.size = 9}}).halves);
  EXPECT_FALSE(plans::by_levels(9, {{.size = 9}}, 2).halves);
  EXPECT_EQ(plans::by_levels(9, {{.size = 9, .ways = 9, .packed = true}}).lines, 1u + 8);  // a flag for each in the release
  EXPECT_EQ(plans::by_levels(9, {{.size = 4}, {}}).slot_line, plans::by_levels(9, {{.size = 4}, {.size = 12}}).slot_line);
  EXPECT_THROW(plans::by_levels(8, {{}, {.size = 8}}), std::invalid_argument) << "only the last may have no size";
  EXPECT_THROW(plans::by_levels(4, {}), std::invalid_argument);
  EXPECT_THROW(plans::by_levels(0, {{.size = 4}}), std::invalid_argument);
  EXPECT_THROW(plans::by_levels(8, {{.size = 4}}), std::invalid_argument);
  EXPECT_THROW(plans::by_levels(8, {{.size = 3}, {.size = 8}}), std::invalid_argument);
  EXPECT_THROW(plans::by_levels(8, {{.size = 8, .ways = 1}}), std::invalid_argument);
}

}  // namespace
