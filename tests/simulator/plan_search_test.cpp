// Plans made for a machine: at least as fast as those with a name, proven, and the same each time.
#include "simulator/plan_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <weir/barriers/proof.hpp>

#include "plain_machine.hpp"

namespace weir::simulator {
namespace {

machine_model machine(const std::string& name) { return read_machine(WEIR_MACHINES "/" + name + ".toml"); }

plan made(const plan_found& found, unsigned members) {
  return plans::by_levels(members, found.shape.levels, found.shape.exchange_radix);
}

double named_ns(const machine_model& m, const plan_found& found, unsigned members, std::uint64_t seed) {
  return simulated_ns(m, plans::by_name(found.named, members, {.node = m.distances.front().group}).value(), seed);
}

struct wanted {
  const char* machine;
  unsigned members;
  double at_most;         // of the time of the fastest plan that papers name
  double of_named = 1.0;  // of that of the fastest plan with a name: below 1 where a tree of three levels is to be found
};
std::ostream& operator<<(std::ostream& out, const wanted& w) { return out << w.machine << ", " << w.members; }

class PlanSearch : public testing::TestWithParam<wanted> {};
TEST_P(PlanSearch, IsNoSlowerThanTheNamedPlans) {
  const auto [name, members, at_most, of_named] = GetParam();
  const machine_model m = cut(machine(name), members);
  const plan_found found = search_plan(m, members);
  const auto proof = prove(made(found, members));
  EXPECT_TRUE(proof.holds) << plans::name_of(found.shape) << ": " << proof.why;
  EXPECT_LE(found.barrier_ns, at_most * found.of_papers_ns) << plans::name_of(found.shape);
  EXPECT_LE(found.barrier_ns, of_named * found.named_ns) << plans::name_of(found.shape) << " against " << found.named;
  // With other arrivals than those that it was chosen for.
  EXPECT_LE(simulated_ns(m, made(found, members), 2), 1.03 * named_ns(m, found, members, 2))
      << plans::name_of(found.shape);
}
INSTANTIATE_TEST_SUITE_P(Machines, PlanSearch,
                         testing::Values(wanted{"epyc-9554-2s", 128, 0.9}, wanted{"epyc-9654-2s", 64, 0.9},
                                         wanted{"xeon-6980p", 128, 0.9}, wanted{"grace-2s", 144, 0.9},
                                         wanted{"ampereone-192", 64, 1.0}, wanted{"phytium-2000-plus", 64, 0.9},
                                         wanted{"thunderx2-2s", 64, 0.9}, wanted{"kunpeng-920", 64, 0.9},
                                         wanted{"terapool-1024", 128, 1.0}, wanted{"power3-16", 16, 1.0},
                                         wanted{"power4-32", 32, 1.0}, wanted{"sunfire-x4600", 16, 1.0},
                                         wanted{"kunpeng-920", 2, 1.0}, wanted{"kunpeng-920", 3, 1.0},
                                         wanted{"kunpeng-920", 61, 1.0}, wanted{"xeon-6980p", 90, 0.9},
                                         // Nodes whose exchange takes radix 5 or 6; three levels; many levels.
                                         wanted{"epyc-9654-2s", 40, 0.9}, wanted{"epyc-9654-2s", 48, 0.9},
                                         wanted{"epyc-9654-2s", 192, 0.9, 0.93}, wanted{"epyc-9755-2s", 40, 0.9},
                                         wanted{"epyc-9755-2s", 144, 0.9}, wanted{"epyc-9755-2s", 256, 0.9, 0.85},
                                         wanted{"kunpeng-920", 24, 0.9}, wanted{"altix-3700-512", 96, 1.0},
                                         wanted{"altix-4700-512", 96, 1.0}, wanted{"manycore-1024", 128, 0.9, 0.85},
                                         wanted{"ideal", 64, 1.0}, wanted{"butterfly-plus-16", 16, 1.0}),
                         [](const auto& of) {
                           std::string name = std::string(of.param.machine) + "_" + std::to_string(of.param.members);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// The numbers of nodes, or of members of one node, for which another radix is taken.
TEST(Exchange, TakesARadixThatSavesARoundWhereThatIsFaster) {
  for (const auto& [name, members, at_most, unused] :
       {wanted{"epyc-9654-2s", 40, 0.8}, wanted{"epyc-9654-2s", 48, 0.85}, wanted{"epyc-9654-2s", 192, 0.85},
        wanted{"epyc-9755-2s", 144, 0.8}, wanted{"kunpeng-920", 24, 0.92}, wanted{"ampereone-192", 96, 0.97},
        wanted{"grace-2s", 20, 0.85}, wanted{"altix-3700-512", 48, 0.98}, wanted{"altix-4700-512", 96, 1.02}}) {
    const machine_model m = cut(machine(name), members);
    const unsigned node = machine(name).distances.front().group;
    EXPECT_LE(simulated_ns(m, plans::exchange_by_nodes(members, node)),
              at_most * simulated_ns(m, plans::exchange_by_nodes(members, node, 4, 8, 4)))
        << name << ", " << members;
  }
}

TEST(PlanSearch, FindsTheSameEachTime) {
  const plan_found a = search_plan(machine("kunpeng-920"), 32), b = search_plan(machine("kunpeng-920"), 32);
  EXPECT_EQ(a.shape, b.shape);
  EXPECT_EQ(a.barrier_ns, b.barrier_ns);
  EXPECT_GT(a.tried, 50u);
  EXPECT_EQ(plans::levels_called(plans::name_of(a.shape)), a.shape) << "the plan that has this name";
}

// Members that may sleep look for sleepers after each signal, which costs wide trees more than narrow ones.
TEST(PlanSearch, GoesByTheWaitOfTheMembers) {
  const machine_model m = machine("thunderx2-2s");
  const plan polling = made(search_plan(m, 64), 64), sleeping = made(search_plan(m, 64, "auto"), 64);
  EXPECT_LT(simulated_ns(m, sleeping, 1, "auto"), simulated_ns(m, polling, 1, "auto"));
}

double episode_ns(const machine_model& m, const plans::shape& shape, unsigned members, bool spread) {
  application a = plain::team(members, "exchange-nodes", "spin", 24);
  a.varies = distribution::uniform;
  a.spread = 0.02;
  a.shape = shape;
  a.own_lines = spread;
  simulation experiment(plain::with(cut(m, members), {a}), 1);
  const auto passed = experiment.run().applications.at(0).episodes;
  return in_ns(passed.back().last_leaving - passed[3].last_leaving) / 20 - 1000;
}

// While its members wait they ask for the lines that they will signal (spread_plan_barrier.hpp). Without that both take the same
// time.
TEST(SimulatedPlan, OfALargeTeamTakesLessBecauseItAsksForLinesBeforeItsSignals) {
  EXPECT_LE(episode_ns(machine("grace-2s"), {.node = 72}, 64, true),
            0.85 * episode_ns(machine("grace-2s"), {.node = 72}, 64, false));
  EXPECT_LE(episode_ns(machine("epyc-9654-2s"), {.node = 8}, 64, true),
            0.9 * episode_ns(machine("epyc-9654-2s"), {.node = 8}, 64, false));
}

TEST(SimulatedPlan, IsProvenFirst) {
  plan p = plans::dissemination(4);
  p.parities = 1;
  EXPECT_THROW(simulated_ns(machine("kunpeng-920"), p), std::invalid_argument);
}

}  // namespace
}  // namespace weir::simulator
