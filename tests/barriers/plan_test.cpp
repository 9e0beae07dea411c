// The proof of the plans, at the sizes where their shape changes, and the faults that the proof rejects.
#ifndef WEIR_CHECKED
#define WEIR_CHECKED  // as in Debug builds, for barriers by type
#endif
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <weir/barriers/plan_barrier.hpp>
#include <weir/barriers/plans.hpp>
#include <weir/barriers/proof.hpp>
#include <weir/machine/native.hpp>
#include <weir/team_barrier.hpp>

#include "../contract.hpp"
#include "tried.hpp"

namespace {

using weir::plan;
using weir::prove;
using weir::step;
namespace plans = weir::plans;

unsigned ceil_log(unsigned value, unsigned base) {
  unsigned rounds = 0;
  for (std::uint64_t reach = 1; reach < value; reach *= base) ++rounds;
  return rounds;
}

struct family {
  std::string name;
  std::function<plan(unsigned)> make;
  unsigned stride = 1;  // fewer sizes for a plan whose parts are proven by themselves
};

using groups = std::vector<std::vector<unsigned>>;

plan two_dissemination(unsigned participants) { return plans::dissemination(participants, 2); }

// Neighbouring ranks are together, as launchers place processes by default.
groups groups_of(unsigned participants, unsigned size) {
  groups grouped((participants + size - 1) / size);
  for (unsigned i = 0; i < participants; ++i) grouped[i / size].push_back(i);
  return grouped;
}

// Round-robin, as launchers place processes on request.
groups dealt_to(unsigned participants, unsigned nodes) {
  groups dealt(std::min(nodes, participants));
  for (unsigned i = 0; i < participants; ++i) dealt[i % dealt.size()].push_back(i);
  return dealt;
}

// Plans beyond those of the table: combinations of them, and shapes that no name gives.
const std::vector<family> others = {
    {"exchange_by_nodes_of_8", [](unsigned p) { return plans::exchange_by_nodes(p, 8); }, 3},
    {"exchange_by_nodes_of_43", [](unsigned p) { return plans::exchange_by_nodes(p, 43, 3, 16, 3); }, 5},
    {"exchange", plans::exchange},
    {"tree_8_3_packed", [](unsigned p) { return plans::tree(p, 8, 3, true); }},
    {"tree_40_40_packed", [](unsigned p) { return plans::tree(p, 40, 40, true); }},
    {"levels_of_4", [](unsigned p) { return plans::levels(groups_of(p, 4), plans::linear, two_dissemination); }, 7},
    {"levels_with_halves", [](unsigned p) { return plans::levels(groups_of(p, 5), plans::linear, plans::mcs); }, 7},
    {"levels_of_7_round_robin", [](unsigned p) { return plans::levels(dealt_to(p, 7), plans::mcs, plans::butterfly); }, 7},
    {"levels_of_levels",
     [](unsigned p) {
       const auto inner = [](unsigned q) { return plans::levels(groups_of(q, 3), plans::linear, plans::mcs); };
       return plans::levels(groups_of(p, 12), inner, two_dissemination);
     },
     7},
    {"by_levels", [](unsigned p) { return plans::by_levels(p, {{.size = 4}, {.size = 16, .fan_out = 0}, {.size = 4096}}); }, 7},
    {"by_levels_packed",
     [](unsigned p) { return plans::by_levels(p, {{.size = 43, .ways = 40, .packed = true}, {.size = 1290, .fan_out = 1}}); },
     7},
    {"by_levels_with_an_exchange",
     [](unsigned p) { return plans::by_levels(p, {{.size = 2, .ways = 2}, {.size = 8, .fan_out = 3}, {.size = 4096}}, 3); },
     7},
    {"by_levels_by_pairs", [](unsigned p) { return plans::by_levels(p, {{.size = 6, .fan_out = 0}, {.size = 6000}}, 1); }, 7},
    {"one_level", [](unsigned p) { return plans::levels(groups_of(p, p), two_dissemination, plans::linear); }, 7},
};

std::vector<family> families() {
  std::vector<family> kinds;
  for (const auto& p : tried::plans({{"_radix_3", {.radix = 3}},
                                     {"_radix_4", {.radix = 4}},
                                     {"_1_1", {.fan_in = 1, .fan_out = 1}},
                                     {"_8_3", {.fan_in = 8, .fan_out = 3}},
                                     {"_2_ways", {.ways = 2}},
                                     {"_7_ways_of_8", {.ways = 7, .node = 8}},
                                     {"_of_1", {.node = 1}},
                                     {"_of_one_node", {.node = 4096}}}))
    kinds.push_back({p.name, p});
  kinds.insert(kinds.end(), others.begin(), others.end());
  return kinds;
}

// The shape of a plan changes where a round or a level is added, and with remainders. So every size up to 128 is proven, and
// beyond 128 those next to the powers of all radices and fan-ins, and every 31st size, which together have every remainder.
std::set<unsigned> sizes(unsigned stride) {
  constexpr unsigned most = 1024;
  std::set<unsigned> chosen;
  for (unsigned n = 1; n <= 128; n += stride) chosen.insert(n);
  for (unsigned n = 129; n <= most; n += 31) chosen.insert(n);
  for (unsigned base : {2u, 3u, 4u, 5u, 8u, 40u})
    for (unsigned power = base; power <= most; power *= base)
      for (unsigned n : {power - 1, power, power + 1})
        if (n <= most) chosen.insert(n);
  return chosen;
}

class ChosenSizes : public testing::TestWithParam<family> {};

TEST_P(ChosenSizes, AreBarriers) {
  for (const unsigned members : sizes(contract::sanitized ? 13 : GetParam().stride)) {
    if (contract::sanitized && members > 300) continue;  // the same arithmetic, ten times slower
    const auto result = prove(GetParam().make(members));
    ASSERT_TRUE(result.holds) << members << " members: " << result.why;
  }
}

INSTANTIATE_TEST_SUITE_P(Plans, ChosenSizes, testing::ValuesIn(families()), [](const auto& chosen) {
  std::string name = chosen.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Plan, IsMadeByTheNameOfItsBarrier) {
  for (const std::string& name : plans::names()) {
    const auto p = plans::by_name(name, 5);
    ASSERT_TRUE(p) << name;
    EXPECT_EQ(p->name, name);
    EXPECT_EQ(p->participants(), 5u) << name;
  }
  EXPECT_FALSE(plans::by_name("levels", 5));
  EXPECT_EQ(plans::by_name("dissemination", 9, {.radix = 3})->slots(), plans::dissemination(9, 3).slots());
  EXPECT_EQ(plans::by_name("tree", 9, {.fan_in = 8, .fan_out = 4})->scripts[0].arrival.size(), 8u);
  EXPECT_EQ(plans::by_name("tree", 9, {.fan_in = 8, .fan_out = 4})->scripts[0].release.size(), 4u);
}

TEST(Plan, HasTwoHalvesAtAnySizeOrAtNone) {
  for (const plans::entry& e : plans::table)
    for (unsigned members = 2; members <= 40; ++members)
      EXPECT_EQ(e.make(members, {}).halves, e.halves()) << e.name << ", " << members;
  EXPECT_TRUE(plans::called("linear").halves());
  EXPECT_FALSE(plans::called("dissemination").halves());
}

// A row of the table says it, so that callers need not prove a plan to know it.
TEST(CriticalPath, GrowsWithTheLogarithmWhereTheRowSaysSo) {
  for (const plans::entry& e : plans::table) {
    const auto path = [&](unsigned members) { return prove(e.make(members, {})).critical_path; };
    const double growth = double(path(1024)) / path(32);  // 2 if logarithmic, 1 if constant, 32 if linear
    if (e.name == std::string_view("exchange-nodes"))
      EXPECT_EQ(growth, 1.5) << "the nodes' own steps stay, and the rounds between them are doubled";
    else if (e.logarithmic)
      EXPECT_NEAR(growth, 2, 0.3) << e.name;
    else
      EXPECT_TRUE(growth == 1 || growth > 16) << e.name << ": " << growth;
  }
}

TEST(CriticalPath, IsWhatThePapersSay) {
  for (const unsigned p : {2u, 3u, 8u, 9u, 100u, 1024u}) {
    EXPECT_EQ(prove(plans::dissemination(p, 2)).critical_path, ceil_log(p, 2)) << p;
    EXPECT_EQ(prove(plans::dissemination(p, 4)).critical_path, ceil_log(p, 4)) << p;
  }
  for (const unsigned p : {2u, 8u, 1024u})  // other sizes have byes, and shorter chains
    EXPECT_EQ(prove(plans::tournament(p)).critical_path, ceil_log(p, 2) + 1) << p;
  EXPECT_EQ(prove(plans::butterfly(8)).critical_path, 3u);
  EXPECT_EQ(prove(plans::butterfly(9)).critical_path, 4u);
  EXPECT_EQ(prove(plans::mcs(1 + 4 + 16)).critical_path, 2u + 4u);  // up 2 levels of 4, down 4 levels of 2
  EXPECT_EQ(prove(plans::mcs(1)).critical_path, 0u);
}

TEST(CriticalPath, OfLevelsIsThatOfItsParts) {
  EXPECT_EQ(prove(plans::linear(9)).critical_path, 2u);
  // To the leader, four rounds between 16 leaders, and back.
  EXPECT_EQ(prove(plans::levels(groups_of(64, 4), plans::linear, two_dissemination)).critical_path, 1u + 4 + 1);
}

TEST(Levels, HaveTwoHalvesWhereTheirPartsHave) {
  EXPECT_TRUE(plans::levels(groups_of(12, 4), plans::linear, plans::mcs).halves);
  EXPECT_FALSE(plans::levels(groups_of(12, 4), plans::linear, two_dissemination).halves);
  EXPECT_FALSE(plans::levels({{1, 0}, {2}}, plans::linear, plans::mcs).halves);  // participant 0 is no leader
  EXPECT_FALSE(plans::levels(groups_of(4, 4), two_dissemination, plans::mcs).halves);
}

TEST(Levels, RefuseWhatTheyCannotJoin) {
  const auto said = [](const groups& g, const plans::maker& within) {
    try {
      plans::levels(g, within, plans::mcs);
    } catch (const std::invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  EXPECT_NE(said({{0, 1}, {2}}, two_dissemination).find("no two halves"), std::string::npos);
  EXPECT_NE(said({{0, 1}, {}}, plans::linear).find("is empty"), std::string::npos);
  EXPECT_NE(said({{0, 1}, {1}}, plans::linear).find("participant 1 comes twice"), std::string::npos);
  EXPECT_NE(said({{0, 2}, {3}}, plans::linear).find("participant 1 is missing"), std::string::npos);
}

TEST(Proof, RejectsOneParityForDissemination) {
  plan p = plans::dissemination(4);
  p.parities = 1;
  const auto result = prove(p);
  EXPECT_FALSE(result.holds);
  EXPECT_NE(result.why.find("overwrite"), std::string::npos) << result.why;
}

TEST(Proof, RejectsASwappedPartner) {
  plan p = plans::dissemination(8);
  // Participants 0 and 1 signal each other's partners in the last round.
  std::swap(p.scripts[0].arrival[4].slot, p.scripts[2].arrival[4].slot);
  std::swap(p.scripts[0].arrival[2].slot, p.scripts[1].arrival[2].slot);
  EXPECT_FALSE(prove(p).holds);
}

TEST(Proof, RejectsAMissingSignal) {
  plan p = plans::mcs(6);
  p.scripts[5].arrival.pop_back();
  EXPECT_NE(prove(p).why.find("0 signallers"), std::string::npos) << prove(p).why;
}

TEST(Proof, RejectsTwoSignallers) {
  plan p = plans::mcs(6);
  p.scripts[4].arrival.push_back(p.scripts[5].arrival.back());
  EXPECT_NE(prove(p).why.find("2 signallers"), std::string::npos) << prove(p).why;
}

TEST(Proof, RejectsWhoWaitsForEver) {
  plan p = plans::butterfly(2);
  for (auto& script : p.scripts) std::swap(script.arrival[0], script.arrival[1]);  // both members await before they signal
  EXPECT_NE(prove(p).why.find("waits for ever"), std::string::npos) << prove(p).why;
}

TEST(Proof, RejectsASlotThatDoesNotExist) {
  plan p = plans::mcs(3);
  p.scripts[0].release[0].slot = 99;
  EXPECT_NE(prove(p).why.find("does not exist"), std::string::npos) << prove(p).why;
}

/// All other participants signal participant 0 by slots of one line, and await one flag.
plan packed_on_one_line(unsigned slots) {
  plan p;
  p.name = "packed";
  p.scripts.resize(slots + 1);
  const auto line = p.lines++, released = p.add_slot();
  p.scripts[0].release.push_back({step::action::signal, released});
  for (unsigned i = 1; i <= slots; ++i) {
    const auto slot = p.add_slot_on(line);
    p.scripts[i].arrival.push_back({step::action::signal, slot});
    p.scripts[0].arrival.push_back({step::action::await, slot});
    p.scripts[i].release.push_back({step::action::await, released});
  }
  return p;
}

TEST(Proof, RejectsMoreSlotsOnALineThanFit) {
  EXPECT_TRUE(prove(packed_on_one_line(weir::slots_per_line)).holds);
  const auto result = prove(packed_on_one_line(weir::slots_per_line + 1));
  EXPECT_FALSE(result.holds);
  EXPECT_NE(result.why.find("line 0 has 17 slots, and 16 fit"), std::string::npos) << result.why;
}

TEST(Proof, RejectsALineThatDoesNotExist) {
  for (const auto line : {2u, ~0u}) {
    plan p = packed_on_one_line(3);
    p.slot_line[2] = line;
    EXPECT_NE(prove(p).why.find("slot 2 lies on line " + std::to_string(line) + ", and there are 2"), std::string::npos)
        << prove(p).why;
  }
  plan p = packed_on_one_line(3);
  p.lines = 1;  // one line fewer than its slots need
  EXPECT_FALSE(prove(p).holds);
  plan many = packed_on_one_line(3);
  many.lines = ~0u;  // wasteful, but still a barrier
  EXPECT_TRUE(prove(many).holds) << prove(many).why;
}

TEST(Proof, RejectsHalvesOfAnArrivalThatGathersTooLittle) {
  plan p = plans::dissemination(4);
  for (auto& script : p.scripts) std::swap(script.arrival, script.release);
  EXPECT_TRUE(prove(p).holds);  // a barrier, but participant 0 knows of no arrivals after its arrival half
  p.halves = true;
  EXPECT_NE(prove(p).why.find("participant 0 ends its arrival half without knowing that participant 1 has arrived"),
            std::string::npos)
      << prove(p).why;
  plan tree = plans::tree(4, 2, 2);
  auto& root = tree.scripts[0];
  root.release.insert(root.release.begin(), root.arrival.back());  // gathers its last child only in the release half
  root.arrival.pop_back();
  EXPECT_NE(prove(tree).why.find("without knowing that participant 2 has arrived"), std::string::npos) << prove(tree).why;
  tree.halves = false;
  EXPECT_TRUE(prove(tree).holds) << prove(tree).why;
}

TEST(Proof, RejectsHalvesOfAReleaseThatDoesNotWaitForParticipant0) {
  for (plan p : {plans::dissemination(4), plans::butterfly(4), plans::butterfly(5)}) {
    EXPECT_TRUE(prove(p).holds);
    p.halves = true;
    EXPECT_NE(prove(p).why.find("leaves without knowing that participant 0 has gathered all"), std::string::npos) << prove(p).why;
  }
}

TEST(Proof, RejectsHalvesOfAnArrivalThatWaitsForARelease) {
  plan p = plans::linear(3);
  auto& last = p.scripts[2];
  last.arrival.push_back(last.release.back());
  last.release.clear();
  EXPECT_NE(prove(p).why.find("participant 2 awaits slot 2 of a release half in its arrival half"), std::string::npos)
      << prove(p).why;
  p.halves = false;
  EXPECT_TRUE(prove(p).holds) << prove(p).why;
}

TEST(Proof, RejectsAnEarlyRelease) {
  plan p = plans::tree(4, 2, 2);
  auto& root = p.scripts[0];
  root.release.insert(root.release.end(), root.arrival.begin(), root.arrival.end());  // gathers after it releases
  root.arrival.clear();
  EXPECT_NE(prove(p).why.find("without knowing"), std::string::npos) << prove(p).why;
}

TEST(Plans, RefuseSenselessParameters) {
  EXPECT_THROW(plans::mcs(0), std::invalid_argument);
  EXPECT_THROW(plans::dissemination(4, 1), std::invalid_argument);
  EXPECT_THROW(plans::tree(4, 0, 2), std::invalid_argument);
  EXPECT_THROW(plans::tree(4, 2, 0), std::invalid_argument);
}

using executor = weir::barriers::plan_barrier<weir::native, weir::waiting::yield>;

TEST(PlanBarrier, RunsAPlanFromAnywhereAfterProvingIt) {
  plan ring;  // a token goes round the ring twice
  ring.name = "ring";
  ring.scripts.resize(3);
  for (int lap = 0; lap < 2; ++lap)
    for (unsigned i = 0; i < 3; ++i) {
      const unsigned next = (i + 1) % 3;
      if (lap == 1 && next == 0) break;
      const auto slot = ring.add_slot();
      ring.scripts[i].arrival.push_back({step::action::signal, slot});
      ring.scripts[next].arrival.push_back({step::action::await, slot});
    }
  ASSERT_TRUE(prove(ring).holds) << prove(ring).why;
  executor barrier(weir::team_here(3), ring);
  EXPECT_EQ(contract::checker({.members = 3, .episodes = 200}).run([&](unsigned m) { barrier.arrive_and_wait(m); }), "");
}

TEST(PlanBarrier, RefusesAPlanThatIsNoBarrier) {
  plan p = plans::dissemination(4);
  p.parities = 1;
  EXPECT_THROW(executor(weir::team_here(4), p), std::invalid_argument);
  p.parities = 2, p.halves = true;
  EXPECT_THROW(executor(weir::team_here(4), p), std::invalid_argument);
  EXPECT_THROW(executor(weir::team_here(18), packed_on_one_line(17)), std::invalid_argument);
  EXPECT_THROW(executor(weir::team_here(5), plans::mcs(4)), std::invalid_argument);
}

TEST(PlanBarrier, ByTypeIsProvenInCheckedBuilds) {
  using planned = weir::barriers::planned<weir::native, weir::waiting::yield>;
  const plans::entry forgetful{"forgetful", "dissemination with one parity", true, [](unsigned n, const plans::shape&) {
                                 plan p = plans::dissemination(n);
                                 p.parities = 1;
                                 return p;
                               }};
  EXPECT_THROW(planned(weir::team_here(4), forgetful), std::invalid_argument);
  EXPECT_NO_THROW((weir::team_barrier<weir::barriers::tournament_tree, weir::waiting::yield>(256)));
}

TEST(PlanBarrier, HasALineFullOfSlotsBesideItsGate) {
  weir::barriers::plan_barrier<weir::native, weir::waiting::block> barrier(weir::team_here(17), packed_on_one_line(16));
  EXPECT_EQ(contract::checker({.members = 17, .episodes = 100}).run([&](unsigned m) { barrier.arrive_and_wait(m); }), "");
}

// The proof rejects a randomly damaged plan, or the plan is still a barrier and keeps the contract.
TEST(Proof, AgreesWithExecutionOnDamagedPlans) {
  std::minstd_rand random(1);
  unsigned refused = 0, accepted = 0;
  const std::vector<family> makers = families();
  for (int i = 0; i < 300; ++i) {
    const unsigned members = 2 + static_cast<unsigned>(random() % 5);
    plan p = makers[random() % makers.size()].make(members);
    auto& script = p.scripts[random() % members];
    auto& half = script.release.empty() || random() % 2 == 0 ? script.arrival : script.release;
    if (half.empty()) continue;
    const std::size_t at = random() % half.size();
    switch (random() % 3) {
      case 0: half.erase(half.begin() + static_cast<std::ptrdiff_t>(at)); break;
      case 1: std::swap(half[at], half[random() % half.size()]); break;
      default: p.parities = 1;
    }
    if (!prove(p).holds) {
      ++refused;
      continue;
    }
    ++accepted;
    const auto verdict = contract::verdict_in_child(
        {.members = members, .episodes = 60}, [&] { return std::make_unique<executor>(weir::team_here(members), p); }, 60);
    EXPECT_EQ(verdict, contract::verdict::kept) << p.name << ", " << members << " members, damage " << i;
  }
  EXPECT_GT(refused, 50u);
  EXPECT_GT(accepted, 20u);
}

}  // namespace
