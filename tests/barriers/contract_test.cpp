// Every algorithm with every waiting policy keeps the contract, at every team size up to 17 and at chosen ones up to 64.
#include "../contract.hpp"

#include <gtest/gtest.h>
#include <numeric>
#include <weir/barriers/plans.hpp>
#include <weir/machine/processors.hpp>
#include <weir/team_barrier.hpp>

namespace {

using Case = std::tuple<std::string, std::string>;

template <class Named>
std::vector<std::string> names(const std::vector<Named>& kinds) {
  std::vector<std::string> result;
  for (const weir::named& n : kinds) result.push_back(n.name);
  return result;
}

std::string shown(const testing::TestParamInfo<Case>& info) {
  std::string name = std::get<0>(info.param) + "_" + std::get<1>(info.param);
  for (char& c : name)
    if (c == '-' || c == ':') c = '_';
  return name;
}

std::vector<int> round_robin(unsigned members) {
  std::vector<int> placement;
  const auto& processors = weir::affinity();
  for (unsigned m = 0; m < members; ++m) placement.push_back(processors[m % processors.size()]);
  return placement;
}

class Contract : public testing::TestWithParam<Case> {
 protected:
  // Spinning members that share a processor waste a time slice of 4 ms at each step of a tree.
  bool burns_slices(unsigned members) const {
    return std::get<1>(GetParam()) == "spin" && members > weir::affinity().size();
  }

  void check(unsigned members, bool placed, unsigned episodes) {
    const auto& [algorithm, waiting] = GetParam();
    weir::team_options options{.algorithm = algorithm, .waiting = waiting};
    if (placed) options.placement = round_robin(members);
    weir::team_barrier barrier(members, options);
    contract::checker checker({.members = members, .episodes = episodes, .placement = options.placement});
    ASSERT_EQ(checker.run([&](unsigned m) { barrier.arrive_and_wait(m); }), "")
        << algorithm << "/" << waiting << ", " << members << " members" << (placed ? ", placed" : "");
  }
};

// The episodes of all sizes make some 13,000 passes for each algorithm and policy.
// A second line of slots begins at 17 members. Larger sizes are mostly next to powers of two: the plans' proofs cover the others.
TEST_P(Contract, HoldsForManyTeamSizes) {
  std::vector<unsigned> sizes(17);
  std::iota(sizes.begin(), sizes.end(), 1u);
  sizes.insert(sizes.end(), {24, 31, 32, 33, 47, 63, 64});
  for (const unsigned members : sizes) {
    if (contract::sanitized && members > 12 && members != 33) continue;  // ten times slower
    if (burns_slices(members) && members != 3 && members != 5 && members != 8) continue;
    unsigned episodes = burns_slices(members) ? 3 : members <= 4 ? 1500 : members <= 16 ? 40 : 8;
    if (contract::sanitized) episodes = (episodes + 9) / 10;
    check(members, members % 2 == 0, episodes);
  }
}

TEST_P(Contract, HoldsWhetherThePlacementIsKnownOrNot) {
  for (const unsigned members : {2u, 3u, 4u, 7u}) {
    if (burns_slices(members) && members != 3) continue;
    const unsigned episodes = burns_slices(members) ? 3 : members == 7 ? 100 : 500;
    for (const bool placed : {true, false}) check(members, placed, contract::sanitized ? (episodes + 9) / 10 : episodes);
  }
}

// A completion runs once in each episode, sees all earlier writes, and is visible to all afterwards; only permitted members run
// it.
TEST_P(Contract, CompletionsRunOnceBetweenArrivalsAndLeaving) {
  const auto& [algorithm, waiting] = GetParam();
  for (const unsigned members : {1u, 2u, 3u, 8u})
    for (const auto who : {weir::completed_by::any_member, weir::completed_by::member_0})
      for (const bool placed : {false, true}) {
        if (placed && (members == 8 || who == weir::completed_by::member_0)) continue;
        if (burns_slices(members) && (members == 8 || placed || who == weir::completed_by::member_0)) continue;
        weir::team_options options{.algorithm = algorithm, .waiting = waiting};
        if (placed) options.placement = round_robin(members);
        weir::team_barrier barrier(members, options);
        std::vector<unsigned> came(members, 0);
        unsigned completed = 0;
        std::atomic<bool> wrong{false};
        const unsigned episodes = burns_slices(members) ? 2 : members == 8 || contract::sanitized ? 10 : 40;
        contract::checker checker({.members = members, .episodes = episodes});
        ASSERT_EQ(checker.run([&](unsigned m) {
          const unsigned before = completed;  // a plain variable: a missing order is a race that ThreadSanitizer sees
          ++came[m];
          barrier.arrive_and_wait(
              m,
              [&, m] {
                if (who == weir::completed_by::member_0 && m != 0) wrong = true;
                for (const unsigned c : came) wrong = wrong || c != completed + 1;
                ++completed;
              },
              who);
          if (completed != before + 1) wrong = true;
          barrier.arrive_and_wait(m);  // no completion runs again before all members have checked
        }),
                  "")
            << algorithm << "/" << waiting << ", " << members << " members";
        EXPECT_FALSE(wrong) << algorithm << "/" << waiting << ", " << members << " members";
      }
}

INSTANTIATE_TEST_SUITE_P(All, Contract,
                         testing::Combine(testing::ValuesIn(names(weir::algorithms())),
                                          testing::ValuesIn(names(weir::waitings()))),
                         shown);

INSTANTIATE_TEST_SUITE_P(ByLevels, Contract,
                         testing::Combine(testing::Values("levels:2by2flag-8packed3down2-exchange3"),
                                          testing::ValuesIn(names(weir::waitings()))),
                         shown);

template <class Barrier>
void check_typed(unsigned members, Barrier& barrier) {
  contract::checker checker({.members = members, .episodes = contract::sanitized ? 30u : 300u});
  EXPECT_EQ(checker.run([&](unsigned m) { barrier.arrive_and_wait(m); }), "");
}

TEST(Typed, AlgorithmsAndParametersChosenByType) {
  using weir::team_barrier;
  namespace b = weir::barriers;
  namespace w = weir::waiting;
  for (const unsigned members : {1u, 2u, 5u, 9u}) {
    for (const unsigned radix : {2u, 3u, 4u, 8u}) {
      team_barrier<b::dissemination, w::yield> dissemination(members, {}, radix);
      check_typed(members, dissemination);
    }
    for (const unsigned fan_in : {1u, 2u, 5u})
      for (const unsigned fan_out : {1u, 3u, 8u}) {
        team_barrier<b::tree, w::block> tree(members, {}, fan_in, fan_out);
        check_typed(members, tree);
      }
    team_barrier<b::mcs, w::automatic> mcs(members);
    check_typed(members, mcs);
    team_barrier<b::sense> sense(members);
    check_typed(members, sense);
    EXPECT_EQ(sense.members(), members);
    EXPECT_GE(sense.bytes(), sizeof(sense) - 128);
  }
}

// Each slot is a cache line or a part of one, so a plan of P log P slots takes memory in proportion to P log P.
TEST(Memory, GrowsAsThePlansSlotsOrLinearly) {
  for (const auto& a : weir::algorithms()) {
    const auto bytes = [&](unsigned members) { return double(weir::team_barrier(members, {.algorithm = a.name}).bytes()); };
    const double growth = (bytes(1024) - bytes(512)) / (bytes(128) - bytes(64));  // 8 if linear
    // Where the placement is unknown, each member takes part in the plan.
    const std::string plan = a.name == "combination-dissemination" ? "dissemination" : a.by_messages ? a.name : "";
    const auto slots = [&](unsigned members) { return double(weir::plans::by_name(plan, members)->slots()); };
    const double expected = !plan.empty() ? (slots(1024) - slots(512)) / (slots(128) - slots(64)) : 8;
    EXPECT_LT(expected, 8 * 2) << a.name;  // 8 * log 1024 / log 128, about
    EXPECT_NEAR(growth, expected, 0.06 * expected) << a.name;
  }
}

}  // namespace
