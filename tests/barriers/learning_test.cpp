// A barrier by name `auto` tries others while its members run: which one it takes, what that costs, and that all members agree.
#include "barriers/learning.hpp"
#include "barriers/native_registry.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include <weir/machine/topology.hpp>
#include <weir/team_barrier.hpp>

#include "../contract.hpp"

namespace {

struct set_clock {
  static inline std::uint64_t now = 0;  // in nanoseconds
  static std::uint64_t ticks() { return now; }
  static double ticks_per_microsecond() { return 1000; }
};

/// A team whose episodes take, by each barrier, as many nanoseconds as the test says.
struct model {
  std::vector<std::uint64_t> takes;
  weir::judge<set_clock> judge{static_cast<unsigned>(takes.size())};
  weir::stretch now = judge.first();
  std::uint64_t passed = 0, tried = 0, lost = 0;

  void pass(std::uint64_t episodes) {
    for (const std::uint64_t end = passed + episodes; passed < end;) {
      const std::uint64_t took = takes[now.barrier], chosen = takes[judge.chosen()];
      if (now.barrier != judge.chosen()) tried += now.episodes, lost += took > chosen ? (took - chosen) * now.episodes : 0;
      set_clock::now += (now.episodes - 1) * took;
      const weir::stretch next = judge.next();
      ASSERT_GE(next.episodes, 2u);
      set_clock::now += took;
      judge.left();
      passed += now.episodes;
      now = next;
    }
  }
};

TEST(Judge, TakesTheFasterBarrierAndTakesItBack) {
  model m{{1000, 800, 900}};
  m.pass(2'000'000);
  EXPECT_EQ(m.judge.chosen(), 1u);
  EXPECT_EQ(m.now.barrier, 1u);
  m.takes = {800, 1000, 1000};
  m.pass(60'000'000);
  EXPECT_EQ(m.judge.chosen(), 0u);
}

TEST(Judge, SaysWhatTrialsCost) {
  for (const auto& takes : {std::vector<std::uint64_t>{500, 600, 2000}, {1000, 980, 1000}, {100, 200'000, 120}}) {
    model m{takes};
    const std::uint64_t began = set_clock::now;
    m.pass(100'000'000);
    EXPECT_EQ(m.judge.chosen(), 0u);
    EXPECT_GT(m.tried, 0u);
    EXPECT_GE(m.judge.episodes(), m.tried);
    EXPECT_LE(m.judge.episodes(), m.tried + m.now.episodes);
    EXPECT_LE(m.lost * 100, set_clock::now - began) << takes[1];
    const double lost_us = static_cast<double>(m.lost) / 1000;
    EXPECT_NEAR(m.judge.lost_us(), lost_us, 0.2 * lost_us + 20) << takes[1];
  }
}

TEST(Judge, LeavesProgramsAloneThatHaveMuchWork) {
  model m{{60'000, 1000}};
  m.pass(10'000'000);
  EXPECT_EQ(m.tried, 0u);
  EXPECT_EQ(m.judge.chosen(), 0u);
}

/// Another barrier after a few episodes, in an order that only member 0 knows.
class everchanging {
 public:
  explicit everchanging(unsigned barriers) : barriers_(barriers) {}
  static weir::stretch first() { return {0, 2}; }
  weir::stretch next() {
    return {static_cast<unsigned>(random_() % barriers_), static_cast<std::uint32_t>(2 + random_() % 3)};
  }
  void left() {}

 private:
  unsigned barriers_;
  std::minstd_rand random_{1};
};

std::unique_ptr<weir::any_barrier> changing_barrier(unsigned members) {
  weir::learning<weir::native, everchanging>::barriers barriers;
  for (const char* name : {"distributed", "sense", "dissemination", "tournament-nodes"})
    barriers.push_back(weir::registry<weir::native>::make(name, "auto", weir::team_here(members)));
  return std::make_unique<weir::learning<weir::native, everchanging>>(members, std::move(barriers));
}

TEST(Learning, AllMembersPassTheSameBarriers) {
  for (const unsigned members : {1u, 2u, 3u, 5u}) {
    const auto barrier = changing_barrier(members);
    contract::checker checker({.members = members, .episodes = contract::sanitized ? 100u : 1000u});
    EXPECT_EQ(checker.run([&](unsigned m) { barrier->arrive_and_wait(*barrier, m); }), "") << members;
  }
}

TEST(Learning, ACompletionRunsOnceWhicheverBarrierItIs) {
  for (const unsigned members : {2u, 3u})
    for (const auto who : {weir::completed_by::any_member, weir::completed_by::member_0}) {
      const auto barrier = changing_barrier(members);
      unsigned completed = 0;
      contract::checker checker({.members = members, .episodes = contract::sanitized ? 50u : 300u});
      EXPECT_EQ(checker.run([&](unsigned m) {
        barrier->arrive_and_wait_completing(m, {[](void* n) { ++*static_cast<unsigned*>(n); }, &completed}, who);
        barrier->arrive_and_wait(*barrier, m);
      }),
                "");
      EXPECT_EQ(completed, contract::sanitized ? 100u : 600u);
    }
}

weir::team with_processors(unsigned members, unsigned processors) {
  weir::team t;
  t.members = members;
  t.processors = processors;
  t.usable = processors;
  return t;
}

std::vector<std::string> names(const weir::team& t) {
  std::vector<std::string> algorithms;
  for (const auto& c : candidates(t, weir::topology({}))) algorithms.push_back(c.algorithm);
  return algorithms;
}

TEST(Candidates, BeginWithTheUsualChoice) {
  EXPECT_EQ(names(with_processors(2, 2)), (std::vector<std::string>{"distributed", "sense", "dissemination"}));
  std::set<std::string> known;
  for (const auto& a : weir::algorithms()) known.insert(a.name);
  for (const unsigned members : {2u, 3u, 16u, 17u, 32u, 33u, 500u}) {
    const auto algorithms = names(with_processors(members, 512));
    EXPECT_EQ(algorithms.front(), choose(with_processors(members, 512), weir::topology({})).algorithm);
    EXPECT_GE(algorithms.size(), 2u);
    EXPECT_LE(algorithms.size(), weir::trials::most_candidates);
    EXPECT_EQ(std::set(algorithms.begin(), algorithms.end()).size(), algorithms.size()) << members;
    for (const auto& name : algorithms) EXPECT_TRUE(known.contains(name)) << name;
  }
}

TEST(Candidates, AreOneWhereNoneCanWin) {
  EXPECT_EQ(names(with_processors(1, 4)).size(), 1u);
  EXPECT_EQ(names(with_processors(5, 4)).size(), 1u) << "members share processors";
  weir::team t = with_processors(4, 4);
  t.usable = 2;
  EXPECT_EQ(names(t).size(), 1u) << "under a quota";
  t = with_processors(4, 4);
  t.kernel_threads = false;
  EXPECT_EQ(names(t).size(), 1u);
  t = with_processors(2, 4);
  t.placement = {1, 1};
  EXPECT_EQ(names(t).size(), 1u) << "on one processor";
}

TEST(Auto, LearnsUnlessToldOtherwise) {
  class : public weir::work_of_members {
    bool take(unsigned) override { return false; }
    bool execute(unsigned) override { return false; }
    void fall_asleep(unsigned, weir::gate&) override {}
    void awake(unsigned) override {}
  } work;
  const auto others = candidates(weir::team_here(2)).size() - 1;
  const weir::team_barrier fixed(2, {.learns = false}), busy(2, {.work = &work});
  weir::team_barrier learns(2);
  EXPECT_EQ(fixed.bytes(), busy.bytes());
  EXPECT_EQ(learns.bytes() > fixed.bytes(), others > 0);
  EXPECT_EQ(learns.choice().algorithm, fixed.choice().algorithm) << "at first";
  contract::checker checker({.members = 2, .episodes = contract::sanitized ? 500u : 5000u});
  EXPECT_EQ(checker.run([&](unsigned m) {
    learns.arrive_and_wait(m);
    (void)learns.choice();
    EXPECT_GE(learns.tried().lost_us, 0);
  }),
            "");
  EXPECT_EQ(fixed.tried().episodes, 0u);
}

}  // namespace
