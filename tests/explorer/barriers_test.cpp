// Every barrier, in every schedule of a small team. If three members are too many for a policy, or two episodes for three
// members, this test uses two members, or one episode, and random_test.cpp covers the rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <weir/barriers/phased.hpp>

#include "simulator/explorer/explorer.hpp"
#include "simulator/explorer/subjects.hpp"

namespace {

using namespace weir::explorer;
using known = weir::registry<explored>;

class Barrier : public testing::TestWithParam<std::tuple<std::string, memory_model>> {
 protected:
  const std::string name = std::get<0>(GetParam());
  const memory_model memory = std::get<1>(GetParam());

  void holds(const std::string& waiting, unsigned members, unsigned episodes, unsigned processors = 0,
             double tick = 300) const {
    subject s = barrier_subject(name, waiting, explored_team(members, processors), episodes);
    s.tick = tick;
    const verdict v = explore(s, {.memory = memory});
    EXPECT_TRUE(v.holds && v.complete) << name << "/" << waiting << ", " << members << " members, " << episodes
                                       << " episodes: " << v.timeline;
  }
};

TEST_P(Barrier, HoldsForTwoToFourSpinningMembers) {
  for (const unsigned members : {2u, 3u, 4u})
    for (const char* waiting : {"spin", "yield"}) holds(waiting, members, 3);
}

TEST_P(Barrier, HoldsForFourMembersOnTwoProcessors) {
  for (const char* waiting : {"spin", "share", "yield"}) holds(waiting, 4, 2, 2);
}

TEST_P(Barrier, HoldsWhereMembersShareProcessors) {
  for (const char* waiting : {"spin", "share", "block"})
    for (const unsigned processors : placements(name, waiting, 3))
      if (processors < 3) holds(waiting, 3, 1, processors);
}

// If this fails, placements() leaves out cases.
TEST_P(Barrier, TakesAPlacementOnlyWherePlacementsSaySo) {
  for (const char* waiting : {"spin", "yield", "block", "share", "auto"}) {
    const auto states = [&](unsigned processors) {
      return explore(barrier_subject(name, waiting, explored_team(2, processors), 1), {.memory = memory}).reached.states;
    };
    if (placements(name, waiting, 2).size() == 1) {
      EXPECT_EQ(states(1), states(2)) << waiting;
    }
  }
}

TEST_P(Barrier, CompletesOnceAndBeforeAnybodyLeaves) {
  for (const unsigned processors : placements(name, "spin", 3))
    for (const auto who : {weir::completed_by::any_member, weir::completed_by::member_0}) {
      const verdict v =
          explore(completing_subject(name, "spin", explored_team(3, processors), 2, who), {.memory = memory});
      EXPECT_TRUE(v.holds && v.complete) << v.timeline;
    }
}

class UnderWeakMemory : public testing::TestWithParam<std::string> {};

TEST_P(UnderWeakMemory, Holds) {
  const std::string& name = GetParam();
  for (const char* waiting : {"spin", "yield", "block"})
    for (const unsigned processors : placements(name, waiting, 2)) {
      const verdict v =
          explore(barrier_subject(name, waiting, explored_team(2, processors), 2), {.memory = memory_model::weak});
      EXPECT_TRUE(v.holds && v.complete) << name << '/' << waiting << '\n' << v.timeline;
    }
}

TEST_P(Barrier, HoldsForTwoBlockingMembersInThreeEpisodes) { holds("block", 2, 3); }

// One executor runs all plans, and for two or three members most plans consist of the same few signals. Where a search is large,
// one plan of each kind represents all.
bool stands_for_others(const std::string& name) {
  for (const char* like_mcs : {"tree", "tournament", "tournament-tree", "tournament-nodes", "exchange-nodes", "linear"})
    if (name == like_mcs) return false;
  return name != "distributed-padded";  // as distributed, on other lines
}

// With a processor for each member.
bool disseminates(const std::string& name) { return name.ends_with("dissemination"); }

TEST_P(Barrier, HoldsForThreeBlockingMembers) {
  // A gate has many states. Each member of a dissemination signals and awaits two others, and store buffers multiply them.
  const bool too_large = disseminates(name) || memory == memory_model::tso || !stands_for_others(name);
  holds("block", 3, too_large ? 1 : 2);
}

TEST_P(Barrier, HoldsForTwoMembersThatWaitByThemselves) {
  // With a processor for each member or a shared one; with a clock that makes yields short, or long.
  for (const unsigned processors : {1u, 2u})
    for (const double tick : {300., 1000.})
      holds("auto", 2, stands_for_others(name) || memory == memory_model::sc ? 2 : 1, processors, tick);
}

// If each member reads two others' words, store buffers make more than 20 million states.
bool is_too_large_by_itself(const std::string& name, memory_model memory) {
  const bool distributed = name.starts_with("distributed") && name != "distributed-sensor";
  return memory == memory_model::tso && (distributed || name == "dissemination" || name == "exchange-nodes");
}

TEST_P(Barrier, HoldsForThreeMembersThatWaitByThemselvesInOneEpisode) {
  if (is_too_large_by_itself(name, memory)) GTEST_SKIP() << "too large";
  holds("auto", 3, 1, 1);
  if (stands_for_others(name) && !disseminates(name)) holds("auto", 3, 1, 3);
}
class BarrierOnThreeProcessors : public Barrier {};
TEST_P(BarrierOnThreeProcessors, HoldsForThreeMembersThatWaitByThemselvesInOneEpisode) {
  if (!is_too_large_by_itself(name, memory) && (memory == memory_model::sc || !disseminates(name))) holds("auto", 3, 1, 3);
}

// The purpose of the clocks: no barrier is correct without the memory order of its stores, or of its loads.
TEST_P(Barrier, NeedsItsMemoryOrders) {
  for (const orders meant : {orders::without_release, orders::without_acquire}) {
    const subject s = barrier_subject(name, "spin", explored_team(2), 2);
    const verdict v = explore(s, {.memory = memory, .meant = meant});
    EXPECT_EQ(v.found.what, breach::kind::unsynchronized_leave) << v.timeline;
  }
}

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const auto& a : known::algorithms()) result.push_back(a.name);
  return result;
}

std::string with_underscores(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, UnderWeakMemory, testing::ValuesIn(names()),
                         [](const auto& one) { return with_underscores(one.param); });

const auto every_barrier = testing::Combine(testing::ValuesIn(names()), testing::Values(memory_model::sc, memory_model::tso));
std::string with_memory(const testing::TestParamInfo<Barrier::ParamType>& one) {
  return with_underscores(std::get<0>(one.param)) + (std::get<1>(one.param) == memory_model::sc ? "_sc" : "_tso");
}
INSTANTIATE_TEST_SUITE_P(All, Barrier, every_barrier, with_memory);
INSTANTIATE_TEST_SUITE_P(Thorough, BarrierOnThreeProcessors, every_barrier, with_memory);

/// In a large team members make the lines that they await, and meet in a central barrier first.
weir::team spread_team(unsigned members) {
  weir::team t = explored_team(members);
  t.spread = true;
  return t;
}

TEST(SpreadPlan, HoldsFromTheEpisodeInWhichItsLinesAreMade) {
  for (const char* name : {"mcs", "dissemination", "tournament"})
    for (const char* waiting : {"spin", "block"})
      for (const auto memory : {memory_model::sc, memory_model::tso, memory_model::weak}) {
        const unsigned most = memory == memory_model::sc && std::string_view(waiting) == "spin" ? 3 : 2;
        for (unsigned members = 2; members <= most; ++members) {
          const verdict v = explore(barrier_subject(name, waiting, spread_team(members), 3), {.memory = memory});
          EXPECT_TRUE(v.holds && v.complete) << name << "/" << waiting << ", " << members << '\n' << v.timeline;
        }
      }
}

TEST(SpreadPlan, CompletesOnceAndBeforeAnybodyLeaves) {
  for (const char* name : {"mcs", "dissemination"})
    for (const auto who : {weir::completed_by::any_member, weir::completed_by::member_0}) {
      const verdict v = explore(completing_subject(name, "spin", spread_team(3), 3, who));
      EXPECT_TRUE(v.holds && v.complete) << v.timeline;
    }
}

TEST(SpreadPlan, NeedsItsMemoryOrders) {
  for (const orders meant : {orders::without_release, orders::without_acquire}) {
    const verdict v = explore(barrier_subject("mcs", "spin", spread_team(2), 3), {.memory = memory_model::sc, .meant = meant});
    EXPECT_EQ(v.found.what, breach::kind::unsynchronized_leave) << v.timeline;
  }
}

/// The core of the standard, C and POSIX interfaces.
struct standard {
  weir::barriers::phased<explored> core;
  standard(unsigned members, bool shared) : core(members, shared) {}
  void arrive_and_wait(unsigned) {
    const auto a = core.arrive(1, [] {});
    if (!a.last) core.wait(a.of);
  }
};

TEST(Phased, HoldsForTwoMembersInThreeEpisodesAndForThreeInTwo) {
  for (const auto memory : {memory_model::sc, memory_model::tso})
    for (const unsigned members : {2u, 3u})
      for (const bool shared : {false, true}) {
        const bool too_large = memory == memory_model::tso && members == 3;  // one episode
        const subject s =
            meeting(members, too_large ? 1 : 5 - members, [=] { return std::make_unique<standard>(members, shared); });
        const verdict v = explore(s, {.memory = memory});
        EXPECT_TRUE(v.holds && v.complete) << v.timeline;
      }
}

// Three equivalent searches: with everything; with neither joined local states nor a reduction; with joined local states only.
void compare(const subject& joined, memory_model memory, const std::string& what) {
  subject apart = joined;
  apart.join = false;
  const verdict whole = explore(apart, {.memory = memory, .reduce = false});
  const verdict reduced = explore(apart, {.memory = memory});
  const verdict whole_joined = explore(joined, {.memory = memory, .reduce = false});
  EXPECT_TRUE(whole.holds && whole.complete && reduced.holds && reduced.complete) << what;
  // Every value that a member may read is still read.
  EXPECT_EQ(reduced.reached.local_states, whole.reached.local_states) << what;
  EXPECT_LE(reduced.reached.states, whole.reached.states) << what;
  // States that are joined have as many schedules before them.
  EXPECT_NEAR(whole_joined.reached.schedules / whole.reached.schedules, 1, 1e-9) << what;
  EXPECT_LE(whole_joined.reached.states, whole.reached.states) << what;
}

void compare_of(const std::string& name, memory_model memory) {
  for (const char* waiting : {"spin", "block"})
    compare(barrier_subject(name, waiting, explored_team(2), 2), memory, name + "/" + waiting);
}

TEST(Reduction, LeavesOutSchedulesAndNothingElse) {
  for (const auto memory : {memory_model::sc, memory_model::tso})
    for (const char* name : {"sense", "mcs"}) compare_of(name, memory);
}
TEST(ThoroughReduction, LeavesOutSchedulesAndNothingElse) {
  for (const auto memory : {memory_model::sc, memory_model::tso})
    for (const auto& name : names()) {
      compare_of(name, memory);
      // auto does the same between polls in all barriers; condvar has a mutex in addition.
      const bool chosen = name == "sense" || name == "condvar" || name == "mcs";
      const unsigned episodes = chosen || memory == memory_model::sc ? 2 : 1;
      compare(barrier_subject(name, "auto", explored_team(2), episodes), memory, name + "/auto");
      for (const char* waiting : {"spin", "yield"})
        compare(barrier_subject(name, waiting, explored_team(3), 1), memory, name + "/" + waiting);
    }
}

TEST(Search, IsTheSameEachTime) {
  const subject s = barrier_subject("mcs", "block", explored_team(3), 1);
  const verdict a = explore(s), b = explore(s);
  EXPECT_EQ(a.reached.states, b.reached.states);
  EXPECT_EQ(a.reached.transitions, b.reached.transitions);
  EXPECT_EQ(a.reached.schedules, b.reached.schedules);
}

TEST(Search, SaysWhenItIsNotComplete) {
  const subject s = barrier_subject("mcs", "block", explored_team(3), 2);
  const verdict v = explore(s, {.most_states = 1000});
  EXPECT_TRUE(v.holds);
  EXPECT_FALSE(v.complete);
}

}  // namespace
