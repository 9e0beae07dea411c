// Constructs of the OpenMP runtime on the simulated machine: each member executes each region once and no barrier lets a member go
// early, on every runtime; and what is counted is what happens.
#include "simulator/openmp/measuring.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "simulator/engine.hpp"

namespace weir::simulator::openmp {
namespace {

machine_model machine(const std::string& name) { return read_machine(WEIR_MACHINES "/" + name + ".toml"); }

question asked(const std::string& construct, unsigned members, const std::string& on = "weir") {
  question q;
  q.construct = construct;
  q.runtime = on;
  q.members = members;
  return q;
}

class Runtimes : public testing::TestWithParam<const char*> {};

TEST_P(Runtimes, ExecuteEachRegionOnceOnEachMemberAndKeepBarriers) {
  constexpr unsigned regions = 5, barriers = 3;
  for (const unsigned members : {2u, 3u, 16u, 17u, 61u}) {
    const machine_model m = cut(machine("kunpeng-920"), members);
    const auto t = runtime_called(GetParam()).make(m, members);
    std::vector<unsigned> executed(members, 0), passed(members, 0);
    unsigned early = 0;
    const auto count_behind = [&](const std::vector<unsigned>& of, unsigned least) {
      for (const unsigned its : of) early += its < least;
    };
    engine e(m, {.quantum = m.system.quantum});
    e.add_job("team", members, 0, 0, [](const job&) {}, [&](unsigned member) {
      if (member != 0) return t->work(member);
      for (unsigned r = 1; r <= regions; ++r) {
        t->parallel([&](unsigned me) {
          // Members come in another order each time.
          engine::here().compute(from_ns((me * 37 + r * 11) % 500));
          ++executed[me];
          for (unsigned b = 1; b <= barriers; ++b) {
            engine::here().compute(from_ns((me * 53 + b * 7) % 300));
            ++passed[me];
            t->barrier(me);
            count_behind(passed, (r - 1) * barriers + b);
          }
        });
        count_behind(executed, r);
      }
      t->dismiss();
    });
    e.run();
    EXPECT_EQ(early, 0u) << members;
    EXPECT_EQ(executed, std::vector<unsigned>(members, regions)) << members;
  }
}
INSTANTIATE_TEST_SUITE_P(Each, Runtimes, testing::Values("weir", "libgomp", "libomp", "libomp-hierarchical", "libomp-dist"),
                         [](const auto& its) {
                           std::string name = its.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(Constructs, TakeTheSameTimeForTheSameSeed) {
  const machine_model m = machine("epyc-9654-2s");
  for (const construct& c : constructs()) {
    const result a = simulate(m, asked(c.name, 16)), b = simulate(m, asked(c.name, 16));
    EXPECT_EQ(a.episode_ns, b.episode_ns) << c.name;
    EXPECT_EQ(a.moved, b.moved) << c.name;
    question other = asked(c.name, 16);
    other.seed = 2;
    EXPECT_NE(simulate(m, other).episode_ns, a.episode_ns) << c.name;
  }
}

TEST(Constructs, CountWhatHappens) {
  const machine_model m = machine("epyc-9654-2s");
  // libgomp's barrier: each member updates the counter and reads the released word; the last resets the counter, and asks the
  // system once.
  const result r = simulate(m, asked("barrier", 32, "libgomp"));
  EXPECT_NEAR(r.atomics, 32, 2);
  EXPECT_NEAR(r.calls, 1, 0.1);
  EXPECT_NEAR(r.busiest_line, 32, 2);
}

TEST(Memory, LiesWhereTheRuntimeAllocatesIt) {
  machine_model m = machine("epyc-9654-2s");
  m.homes = placement::allocator;
  memory of(m);
  alignas(128) char lines[256];
  of.allocate(&lines[128], 1, 100);
  // From the memory of another socket a line takes longer.
  const time own = of.load(of.line_at(&lines[0]), 1, 0), of_100 = of.load(of.line_at(&lines[128]), 1, 0);
  EXPECT_EQ(own, m.distances[0].memory + m.processor.hit);
  EXPECT_EQ(of_100, m.distances[2].memory + m.processor.hit);
}

TEST(Questions, SayWhatIsKnown) {
  const machine_model m = machine("kunpeng-920");
  EXPECT_THROW(simulate(m, asked("nothing", 8)), std::invalid_argument);
  EXPECT_THROW(simulate(m, asked("barrier", 8, "libfoo")), std::invalid_argument);
  EXPECT_THROW(simulate(m, asked("barrier", 1)), std::invalid_argument);
  EXPECT_THROW(simulate(m, asked("barrier", 65)), std::invalid_argument);
}

}  // namespace
}  // namespace weir::simulator::openmp
