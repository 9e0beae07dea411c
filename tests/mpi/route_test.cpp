// A process's route through a plan, and the choice of the plan. MPI is not initialised here.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <weir/barriers/plans.hpp>

#include "mpi/choice.hpp"
#include "mpi/route.hpp"

namespace {

using namespace weir::mpi;
namespace plans = weir::plans;
using action = weir::mpi::move::action;
using path = weir::mpi::move::path;

// Nodes with `sizes` processes each, in the order of the ranks.
places on_nodes(const std::vector<unsigned>& sizes, bool oversubscribed = false) {
  places p;
  unsigned rank = 0;
  for (const unsigned size : sizes) {
    p.nodes.emplace_back();
    for (unsigned i = 0; i < size; ++i) {
      p.nodes.back().push_back(rank++);
      p.node_of.push_back(static_cast<unsigned>(p.nodes.size()) - 1);
    }
  }
  p.oversubscribed = oversubscribed;
  p.seats = p.nodes;
  return p;
}

// Executes the routes of all processes, with flags and messages as sets, until none can continue; "" if all reach the end and
// know that all have arrived.
std::string play(const std::vector<route>& routes, const std::vector<unsigned>& node_of) {
  const auto processes = static_cast<unsigned>(routes.size());
  std::vector<std::size_t> at(processes, 0);
  std::vector<std::set<unsigned>> knows(processes);
  std::map<std::pair<unsigned, unsigned>, std::set<unsigned>>
      flags;  // by node and flag: the knowledge of the process that set it
  std::map<std::tuple<unsigned, unsigned, unsigned>, std::set<unsigned>> messages;
  std::map<std::pair<unsigned, unsigned>, std::pair<unsigned, std::set<unsigned>>> counters;
  for (unsigned r = 0; r < processes; ++r) knows[r].insert(r);
  for (bool moved = true; moved;) {
    moved = false;
    for (unsigned r = 0; r < processes; ++r)
      while (at[r] < routes[r].moves.size()) {
        const auto& m = routes[r].moves[at[r]];
        const std::pair flag{node_of[r], m.flag};
        std::size_t next = at[r] + 1;
        if (m.act == action::signal && m.by == path::memory) {
          flags[flag] = knows[r];
        } else if (m.act == action::signal) {
          if (!messages.try_emplace({r, m.peer, m.tag}, knows[r]).second) return "two messages with one tag";
        } else if (m.act == action::count) {
          auto& [count, gathered] = counters[flag];
          gathered.insert(knows[r].begin(), knows[r].end());
          if (++count < m.expected) next = m.otherwise;
          knows[r] = gathered;
        } else {
          const std::set<unsigned>* heard = nullptr;
          if (m.by == path::memory && flags.contains(flag)) heard = &flags[flag];
          const std::tuple key{m.peer, r, m.tag};
          if (m.by == path::message && messages.contains(key)) heard = &messages[key];
          if (heard == nullptr) break;
          knows[r].insert(heard->begin(), heard->end());
          if (m.by == path::message) messages.erase(key);
        }
        at[r] = next;
        moved = true;
      }
  }
  if (!messages.empty()) return "a message that no process received";
  for (unsigned r = 0; r < processes; ++r) {
    if (at[r] < routes[r].moves.size()) return "process " + std::to_string(r) + " waits for ever";
    if (knows[r].size() != processes) return "process " + std::to_string(r) + " leaves too early";
  }
  return "";
}

std::vector<route> routes_of(const weir::plan& p, const std::vector<unsigned>& node_of) {
  std::vector<route> routes;
  for (unsigned r = 0; r < p.participants(); ++r) routes.push_back(route_of(p, r, node_of));
  return routes;
}

TEST(Route, EveryPlanByFlagsAndByMessagesIsABarrier) {
  for (unsigned size = 1; size <= 40; ++size)
    for (const std::string& name : algorithms())
      for (const unsigned per_node : {1u, 2u, 5u, 40u}) {
        std::vector<unsigned> sizes;
        for (unsigned left = size; left > 0; left -= std::min(left, per_node)) sizes.push_back(std::min(left, per_node));
        const places p = on_nodes(sizes);
        const weir::plan whole = plan_for(p, {name, "none", "messages", ""}, {.radix = 3});
        EXPECT_EQ(play(routes_of(whole, p.node_of), p.node_of), "")
            << name << ", " << size << " processes, nodes of " << per_node;
        const weir::plan levels = plan_for(p, {name, "linear", "messages", ""}, {});
        EXPECT_EQ(play(routes_of(levels, p.node_of), p.node_of), "") << name << " of levels, " << size << " by " << per_node;
      }
}

TEST(Route, OnlyLeadersSendAcross) {
  const places p = on_nodes({4, 4, 4});
  const auto routes = routes_of(plan_for(p, choose(p, {}), {}), p.node_of);
  for (unsigned r = 0; r < 12; ++r) EXPECT_EQ(routes[r].message_signals > 0, r % 4 == 0) << r;
  EXPECT_EQ(routes[0].message_signals, 2u);  // ceil(log2 3) rounds
}

TEST(Route, SignallersKnowWhereReceiversLook) {
  for (const unsigned size : {2u, 3u, 8u, 13u})
    for (const std::string& name : algorithms()) {
      const places p = on_nodes(std::vector<unsigned>(size, 1));
      const weir::plan whole = plan_for(p, {name, "none", "rma", ""}, {.radix = 4});
      const auto routes = routes_of(whole, p.node_of);
      for (unsigned from = 0; from < size; ++from) {
        const auto indices = indices_at_receivers(whole, from, p.node_of);
        ASSERT_EQ(indices.size(), routes[from].message_signals);
        for (const auto& m : routes[from].moves) {
          if (m.act != action::signal || m.by != path::message) continue;
          const auto& theirs = routes[m.peer].moves;
          EXPECT_TRUE(std::any_of(theirs.begin(), theirs.end(), [&](const auto& t) {
            return t.act == action::await && t.peer == from && t.tag == m.tag && t.index == indices[m.index];
          })) << name << ", " << from << " to " << m.peer;
        }
      }
    }
}

TEST(Route, ProcessesOfOneProcessorMeetFirst) {
  for (const std::vector<std::vector<unsigned>>& seats :
       {std::vector<std::vector<unsigned>>{{0, 2, 4}, {1, 3}}, {{0, 1, 2, 3}}, {{3}, {2}, {0, 1}}, {{0}, {1}, {2}}}) {
    unsigned processes = 0;
    for (const auto& s : seats) processes += static_cast<unsigned>(s.size());
    std::vector<route> routes;
    for (unsigned r = 0; r < processes; ++r)
      routes.push_back(combination_route(plans::dissemination(static_cast<unsigned>(seats.size())), seats, r));
    EXPECT_EQ(play(routes, std::vector<unsigned>(processes, 0)), "");
    for (const route& r : routes) EXPECT_EQ(r.flag_line, routes[0].flag_line);  // all lay out the same memory
  }
}

TEST(Route, FlagsOfANodeAreNumberedAlike) {
  const places p = on_nodes({3, 5, 1});
  for (const std::string& name : algorithms()) {
    const auto routes = routes_of(plan_for(p, {name, "mcs", "messages", ""}, {}), p.node_of);
    for (unsigned r = 0; r < 9; ++r) {
      EXPECT_EQ(routes[r].flag_line, routes[p.nodes[p.node(r)][0]].flag_line) << name;
      std::map<unsigned, unsigned> on_line;
      for (const unsigned line : routes[r].flag_line) EXPECT_LE(++on_line[line], weir::slots_per_line);
    }
  }
}

TEST(Route, AnotherWayHasFlagsAndTagsOfItsOwn) {
  const places p = on_nodes({3, 3, 1});
  const auto first = routes_of(plan_for(p, {"dissemination", "linear", "messages", ""}, {}), p.node_of);
  auto second = routes_of(plan_for(p, {"tournament", "mcs", "messages", ""}, {}), p.node_of);
  for (unsigned r = 0; r < 7; ++r) {
    second[r].follow(first[r]);
    const route& own = second[r];
    EXPECT_GE(own.lines, first[r].lines);
    EXPECT_TRUE(std::equal(first[r].flag_line.begin(), first[r].flag_line.end(), own.flag_line.begin()));
    for (const auto& m : own.moves) {
      if (m.by == path::message) {
        for (const auto& other : first[r].moves) EXPECT_TRUE(other.by == path::memory || other.tag != m.tag);
        continue;
      }
      ASSERT_LT(m.flag, own.flag_line.size());
      EXPECT_GE(m.flag, first[r].flag_line.size());
      EXPECT_GE(own.flag_line[m.flag], first[r].lines);
      EXPECT_LT(own.flag_line[m.flag], own.lines);
    }
  }
  EXPECT_EQ(play(second, p.node_of), "");
}

// In the node's memory, one slot too many on a line would overlap the line's gate, and a missing line would overlap another
// object.
TEST(Route, IsRefusedToAPlanThatCannotBeLaidOut) {
  const auto refused = [](const weir::plan& p, const std::vector<unsigned>& node_of) {
    unsigned times = 0;
    for (unsigned r = 0; r < p.participants(); ++r) try {
        route_of(p, r, node_of);
      } catch (const std::invalid_argument&) {
        ++times;
      }
    return times;
  };
  const std::vector<unsigned> together(18, 0);
  const weir::plan good = plans::linear(18);  // 16 flags on one line, the 17th on another
  EXPECT_EQ(refused(good, together), 0u);
  weir::plan p = good;
  p.slot_line[16] = p.slot_line[0];
  EXPECT_EQ(refused(p, together), 18u);
  p = good;
  p.slot_line[3] = p.lines;
  EXPECT_EQ(refused(p, together), 18u);
  p = good;
  p.lines = 1;
  std::vector<unsigned> apart = together;
  apart[17] = 1;
  EXPECT_EQ(refused(p, apart), 18u);  // all processes must refuse it, or some would wait for the others
  p = good;
  p.scripts[5].arrival.clear();  // a slot without a signaller
  EXPECT_EQ(refused(p, together), 18u);
  EXPECT_THROW(combination_route(p, {{0}, {1}}, 0), std::invalid_argument);
}

TEST(Choice, LooksWhereTheProcessesAre) {
  EXPECT_EQ(choose(on_nodes({2}), {}).within, "dissemination");
  EXPECT_EQ(choose(on_nodes({8}, /*oversubscribed=*/true), {}).within, "combination");
  EXPECT_EQ(choose(on_nodes({64}), {}).within, "tournament");
  EXPECT_EQ(choose(on_nodes({1, 1, 1, 1}), {}).within, "none");
  EXPECT_EQ(choose(on_nodes({4, 4}), {}).within, "linear");
  EXPECT_EQ(choose(on_nodes({4, 4}, /*oversubscribed=*/true), {}).within, "linear");
  EXPECT_EQ(choose(on_nodes({64, 64}), {}).within, "tournament");
  EXPECT_EQ(choose(on_nodes({4, 4}), {}).algorithm, "dissemination");
  EXPECT_EQ(choose(on_nodes({4}), {.algorithm = "mcs"}).within, "none");  // only a name: the paper's barrier, over messages
}

TEST(Choice, TakesThePlanThatAllFoundFasterWithinANode) {
  weir::machine_profile known{.signature = "8 processors", .processors = 8, .date = "2026-11-25", .sizes = {}, .findings = {}};
  known.sizes[false] = {2, 4, 8, 16};
  known.findings = {{2, false, "sense", "distributed", 1, 2}, {4, false, "butterfly", "dissemination", 1, 2},
                    {8, false, "mcs", "dissemination", 1, 2}, {16, false, "mcs", "sense", 1, 2}};
  EXPECT_EQ(choose(on_nodes({8}), {}, &known).within, "mcs");
  EXPECT_NE(choose(on_nodes({8}), {}, &known).reason.find("with threads on this machine on 2026-11-25"), std::string::npos);
  EXPECT_EQ(choose(on_nodes({8, 8}), {}, &known).within, "mcs");
  EXPECT_EQ(choose(on_nodes({4}), {}, &known).within, "butterfly");
  EXPECT_EQ(choose(on_nodes({4, 4}), {}, &known).within, "linear") << "the butterfly has no halves";
  EXPECT_EQ(choose(on_nodes({2}), {}, &known).within, "dissemination") << "sense is no plan";
  EXPECT_EQ(choose(on_nodes({8}, /*oversubscribed=*/true), {}, &known).within, "combination");
  EXPECT_EQ(choose(on_nodes({16}), {}, &known).within, "dissemination") << "on more processors than were measured";
  EXPECT_EQ(choose(on_nodes({8}), {.within = "linear"}, &known).within, "linear");
}

process_info on_node(std::uint64_t node, std::initializer_list<int> processors, std::uint64_t profile, std::uint64_t tried) {
  process_info info{};
  info.node = node;
  info.threads = 1;
  info.home = -1;
  for (const int processor : processors) info.add(processor);
  info.profile = profile;
  info.tried = tried;
  return info;
}

TEST(Places, HaveOneProfileIfAllProcessesHaveItAndAllItsProcessors) {
  const auto one = [](const std::vector<process_info>& processes) { return places_of(0, processes).one_profile; };
  EXPECT_TRUE(one({on_node(1, {0, 1}, 7, 2), on_node(1, {0, 1}, 7, 2)}));
  EXPECT_TRUE(one({on_node(1, {0}, 7, 2), on_node(1, {1}, 7, 2), on_node(2, {0}, 7, 2), on_node(2, {1}, 7, 2)}))
      << "bound by a launcher";
  EXPECT_FALSE(one({on_node(1, {0, 1}, 7, 2), on_node(1, {0, 1}, 9, 2)})) << "different ones";
  EXPECT_FALSE(one({on_node(1, {0, 1}, 7, 2), on_node(1, {0, 1}, 0, 2)})) << "one has none";
  EXPECT_FALSE(one({on_node(1, {0, 1}, 0, 2), on_node(1, {0, 1}, 0, 2)}));
  EXPECT_FALSE(one({on_node(1, {0, 1}, 7, 4), on_node(1, {0, 1}, 7, 4)})) << "the job has a part of the machine";
}

TEST(Choice, NamesTheKnownOnes) {
  const auto said = [](const options& how, const places& p = on_nodes({2})) -> std::string {
    try {
      plan_for(p, choose(p, how), how);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "nothing";
  };
  EXPECT_NE(said({.algorithm = "fuzzy"}).find("known are auto, dissemination, mcs"), std::string::npos)
      << said({.algorithm = "fuzzy"});
  EXPECT_NE(said({.within = "fuzzy"}).find("none, combination"), std::string::npos);
  EXPECT_NE(said({.transport = "pigeon"}).find("messages, persistent, rma"), std::string::npos);
  EXPECT_NE(said({.waiting = "pray"}).find("auto, mpi"), std::string::npos);
  EXPECT_NE(said({.within = "dissemination"}, on_nodes({2, 2})).find("no two halves"), std::string::npos);
  EXPECT_NE(said({.within = "combination"}, on_nodes({2, 2})).find("several nodes"), std::string::npos);
  EXPECT_NE(said({.algorithm = "dissemination", .radix = 1}).find("radix"), std::string::npos);
}

}  // namespace
