// Which members are near each other, and what "auto" makes of it.
#include <gtest/gtest.h>

#include <numeric>
#include <weir/team_barrier.hpp>

#include "barriers/nodes.hpp"

namespace {

using weir::topology;

std::vector<int> first(unsigned count) {
  std::vector<int> processors(count);
  std::iota(processors.begin(), processors.end(), 0);
  return processors;
}

topology::division by(const std::string& name, unsigned count, unsigned size) {
  topology::division d{name, {}, (count + size - 1) / size};
  for (unsigned p = 0; p < count; ++p) d.group_of.push_back(p / size);
  return d;
}

weir::team placed(std::vector<int> placement) {
  weir::team t;
  t.members = static_cast<unsigned>(placement.size());
  t.placement = std::move(placement);
  return t;
}

TEST(Nodes, ShareACacheOrAMemory) {
  const topology caches(first(32), {by("cache", 32, 8), by("memory", 32, 16)});
  EXPECT_EQ(weir::nodes_of(caches)->name, "cache");
  const topology memories(first(32), {by("cache", 32, 32), by("memory", 32, 16)});
  EXPECT_EQ(weir::nodes_of(memories)->name, "memory");
  EXPECT_EQ(weir::nodes_of(topology(first(32))), nullptr);
}

TEST(Nodes, HaveAsManyConsecutiveMembersAsThePlacementSays) {
  const topology machine(first(32), {by("cache", 32, 8)});
  const auto members = [&](std::vector<int> placement) { return weir::members_of_a_node(placed(std::move(placement)), machine); };
  EXPECT_EQ(members(first(32)), 8u);
  EXPECT_EQ(members(first(20)), 8u) << "the last node may have fewer";
  EXPECT_EQ(members({0, 1, 8, 9, 16, 17}), 2u);
  EXPECT_EQ(members({0, 8, 16, 24}), 1u);
  EXPECT_EQ(members({0, 1, 8, 16, 17}), 0u) << "irregular";
  EXPECT_EQ(members({0, 8, 9}), 0u) << "the last node may not have more";
  EXPECT_EQ(members({0, 99}), 0u) << "an unknown processor";
  EXPECT_EQ(members({}), 8u) << "in the machine's order";
  EXPECT_EQ(weir::members_of_a_node(placed(first(4)), topology(first(4))), 0u);
}

TEST(Choice, OfManyThreadsDependsOnTheMachinesParts) {
  weir::team t;
  t.members = t.processors = 32;
  t.usable = 32;
  const auto on_one_chip = weir::choose(t, topology(first(32)));
  EXPECT_EQ(on_one_chip.algorithm, "exchange-nodes");
  EXPECT_EQ(on_one_chip.reason.find("parts"), std::string::npos) << on_one_chip.reason;
  const auto by_nodes = weir::choose(t, topology(first(32), {by("cache", 32, 8)}));
  EXPECT_EQ(by_nodes.algorithm, "exchange-nodes");
  EXPECT_NE(by_nodes.reason.find("4 parts"), std::string::npos) << by_nodes.reason;
  t.members = 16;
  EXPECT_EQ(weir::choose(t, topology(first(32), {by("cache", 32, 8)})).algorithm, "dissemination");
  t.members = 64;  // they share processors
  EXPECT_EQ(weir::choose(t, topology(first(32), {by("cache", 32, 8)})).algorithm, "sense");
}

}  // namespace
