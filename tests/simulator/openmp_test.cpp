// Constructs of the OpenMP runtime on the simulated machine: each member executes each region once and no barrier lets a member
// go early, on every runtime; and what is counted is what happens.
#include "simulator/openmp/measuring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <vector>

#include "simulator/engine.hpp"
#include "simulator/openmp/nested_teams.hpp"
#include "simulator/openmp/weirs_team.hpp"

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
  for (const unsigned members : {2u, 3u, 16u, 17u, 31u, 61u, 64u}) {
    const machine_model m = cut(machine("kunpeng-920"), members);
    const auto t = runtime_called(GetParam()).make(m, members);
    std::vector<unsigned> executed(members, 0), passed(members, 0);
    unsigned early = 0;
    const auto count_behind = [&](const std::vector<unsigned>& of, unsigned least) {
      for (const unsigned n : of) early += n < least;
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

TEST_P(Runtimes, ExecuteEachRegionWithinARegionOnceOnEachMemberOfItsPart) {
  constexpr unsigned outer_regions = 3, regions = 5;
  for (const unsigned members : {2u, 3u, 8u, 17u, 61u, 64u}) {
    const machine_model m = cut(machine("kunpeng-920"), members);
    const auto parts = parts_of(m, members);
    nested_teams t(runtime_called(GetParam()), m, members);
    std::vector<unsigned> executed(members, 0);
    unsigned early = 0, elsewhere = 0;
    const auto inner_regions = [&](unsigned outer_member) {
      for (unsigned r = 0; r < regions; ++r) {
        const auto own = executed.begin() + parts[outer_member].place;
        const unsigned before = *own;
        t.parallel_within(outer_member, [&](unsigned me) {
          engine::here().compute(from_ns((me * 37 + r * 11) % 500));
          elsewhere += engine::here().self().processor != me;
          ++executed[me];
        });
        early += std::count(own, own + parts[outer_member].count, before + 1) != parts[outer_member].count;
      }
    };
    engine e(m, {.quantum = m.system.quantum});
    e.add_job("team", members, 0, 0, [](const job&) {}, [&](unsigned member) {
      if (member != 0) return t.work(member);
      for (unsigned r = 0; r < outer_regions; ++r) t.parallel(inner_regions);
      t.dismiss();
    });
    e.run();
    EXPECT_EQ(early, 0u) << members;
    EXPECT_EQ(elsewhere, 0u) << members;
    EXPECT_EQ(executed, std::vector<unsigned>(members, outer_regions * regions)) << members;
  }
}
INSTANTIATE_TEST_SUITE_P(Each, Runtimes, testing::Values("weir", "libgomp", "libomp", "libomp-hierarchical", "libomp-dist"),
                         [](const auto& of) {
                           std::string name = of.param;
                           std::erase(name, '-');
                           return name;
                         });

/// Executes a region of Weir's runtime with so many members: `what(team)` is member 0's code.
void on_weirs_team(const char* machine_name, unsigned members, const std::function<void(weirs_team&)>& what) {
  const machine_model m = cut(machine(machine_name), members);
  weirs_team t(m, members);
  engine e(m, {.quantum = m.system.quantum});
  e.add_job("team", members, 0, 0, [](const job&) {}, [&](unsigned member) {
    if (member != 0) return t.work(member);
    what(t);
    t.dismiss();
  });
  e.run();
}

constexpr unsigned sizes[] = {2, 3, 8, 16, 17, 61};

TEST(Loops, ExecuteEachIterationOnceBySchedule) {
  using weir::openmp::schedule_kind;
  for (const auto kind : {schedule_kind::static_, schedule_kind::dynamic, schedule_kind::guided})
    for (const bool monotonic : {false, true})
      for (const unsigned members : sizes) {
        constexpr unsigned loops = 20, trips = 333;
        std::vector<unsigned> executed(trips, 0);
        on_weirs_team("kunpeng-920", members, [&](weirs_team& t) {
          t.parallel([&](unsigned me) {
            // Without barriers: members are in different loops at a time, and the slots are used in turn.
            for (unsigned j = 0; j < loops; ++j) {
              t.begin_loop(me, {kind, trips, 3, monotonic});
              while (const auto chunk = t.next_chunk(me))
                for (auto i = chunk.begin; i < chunk.end; ++i) {
                  ++executed[i];
                  engine::here().compute(from_ns(static_cast<double>((me * 31 + i) % 70)));
                }
              t.end_loop(me);
            }
          });
        });
        EXPECT_EQ(executed, std::vector<unsigned>(trips, loops)) << static_cast<int>(kind) << monotonic << members;
      }
}

TEST(Loops, WaitForAMemberThatIsManyLoopsBehind) {
  constexpr unsigned loops = 20, trips = 333;
  for (const unsigned members : sizes) {
    std::vector<unsigned> executed(trips, 0);
    on_weirs_team("kunpeng-920", members, [&](weirs_team& t) {
      t.parallel([&](unsigned me) {
        if (me == 1) engine::here().compute(from_ns(1e6));
        for (unsigned j = 0; j < loops; ++j) {
          t.begin_loop(me, {weir::openmp::schedule_kind::dynamic, trips, 3, false});
          while (const auto chunk = t.next_chunk(me))
            for (auto i = chunk.begin; i < chunk.end; ++i) ++executed[i];
          t.end_loop(me);
        }
      });
    });
    EXPECT_EQ(executed, std::vector<unsigned>(trips, loops)) << members;
  }
}

TEST(Loops, GoFromOneMembersPartToAllMembers) {
  using weir::openmp::schedule_kind;
  for (const unsigned members : {16u, 64u}) {
    constexpr unsigned each = 256;
    std::vector<unsigned> by(members, 0);
    on_weirs_team("kunpeng-920", members, [&](weirs_team& t) {
      t.parallel([&](unsigned me) {
        t.begin_loop(me, {schedule_kind::dynamic, std::uint64_t{each} * members, 1, false});
        while (const auto chunk = t.next_chunk(me))
          for (auto i = chunk.begin; i < chunk.end; ++i)
            if (i < each) {  // the part of member 0
              ++by[me];
              engine::here().compute(from_ns(2000));
            }
        t.end_loop(me);
      });
    });
    EXPECT_LE(*std::max_element(by.begin(), by.end()), each / 4) << members;
    EXPECT_GE(std::count_if(by.begin(), by.end(), [](unsigned n) { return n > 0; }), members / 2) << members;
  }
}

TEST(Loops, ExecuteOrderedRegionsInOrder) {
  for (const unsigned members : sizes) {
    std::vector<std::uint64_t> order;
    on_weirs_team("epyc-9654-2s", members, [&](weirs_team& t) {
      t.parallel([&](unsigned me) {
        t.begin_loop(me, {weir::openmp::schedule_kind::static_, 300, 1, true, true});
        while (const auto chunk = t.next_ordered_chunk(me)) {
          engine::here().compute(from_ns((me * 31) % 70));
          t.begin_ordered(me);
          engine::here().compute(from_ns(20));
          order.push_back(chunk.begin);
        }
        t.end_loop(me);
      });
    });
    ASSERT_EQ(order.size(), 300u) << members;
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end())) << members;
  }
}

TEST(Loops, ExecuteIterationsOfADoacrossNestAfterThoseThatTheyWaitFor) {
  for (const unsigned members : sizes) {
    constexpr unsigned iterations = 5000;  // more than a page
    std::vector<unsigned> order;
    on_weirs_team("epyc-9654-2s", members, [&](weirs_team& t) {
      t.parallel([&](unsigned me) {
        t.begin_doacross(me, iterations);
        for (unsigned i = me; i < iterations; i += members) {
          engine::here().compute(from_ns((me * 31) % 70));
          if (i > 0) t.wait_for_post(i - 1);
          order.push_back(i);
          t.post(i);
        }
        t.end_doacross();
      });
    });
    ASSERT_EQ(order.size(), iterations) << members;
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end())) << members;
  }
}

TEST(Tasks, AreExecutedOnceEachBeforeTheEndOfTheRegion) {
  for (const unsigned members : sizes)
    for (const bool by_all : {false, true}) {
      unsigned executed = 0, early = 0;
      std::vector<unsigned> by(members, 0);
      on_weirs_team("kunpeng-920", members, [&](weirs_team& t) {
        t.tasks_compute([&](unsigned me, std::uint64_t) {
          engine::here().compute(from_ns(200 + (executed * 37) % 300));
          ++executed;
          ++by[me];
        });
        constexpr unsigned each = 300;  // more than a queue takes
        for (unsigned j = 1; j <= 3; ++j) {
          t.parallel([&](unsigned me) {
            if (me == 0 || by_all)
              for (unsigned i = 0; i < each; ++i) t.generate_task(me);
          });
          early += executed != j * each * (by_all ? members : 1);
        }
      });
      EXPECT_EQ(early, 0u) << members << by_all;
      EXPECT_GT(std::count_if(by.begin(), by.end(), [](unsigned n) { return n > 0; }), 1) << members << by_all;
    }
}

TEST(Tasks, AreCompleteAfterATaskwait) {
  for (const unsigned members : sizes) {
    unsigned executed = 0, generated = 0, early = 0;
    on_weirs_team("epyc-9654-2s", members, [&](weirs_team& t) {
      t.tasks_compute([&](unsigned, std::uint64_t) {
        engine::here().compute(from_ns(300));
        ++executed;
      });
      t.parallel([&](unsigned me) {
        if (me != 0) return;  // the others execute what they can get
        for (unsigned j = 0; j < 20; ++j) {
          for (unsigned i = 0; i <= j; ++i, ++generated) t.generate_task(me);
          t.taskwait(me);
          early += executed != generated;
        }
      });
    });
    EXPECT_EQ(early, 0u) << members;
  }
}

TEST(Tasks, OfATreeAreExecutedOnceEach) {
  constexpr std::uint64_t tasks = 300;
  for (const unsigned members : sizes) {
    std::uint64_t executed = 0, at_the_end = 0;
    on_weirs_team("grace-2s", members, [&](weirs_team& t) {
      const std::function<void(unsigned, std::uint64_t)> grow = [&](unsigned me, std::uint64_t below) {
        const std::uint64_t left = (below - 1) / 2, right = below - 1 - left, before = executed;
        if (left > 0) t.generate_task(me, left);
        if (right > 0) t.generate_task(me, right);
        engine::here().compute(from_ns(100));
        ++executed;
        t.taskwait(me);
        EXPECT_GE(executed, before + below);  // all below it are complete
      };
      t.tasks_compute(grow);
      t.parallel([&](unsigned me) {
        if (me == 0) grow(me, tasks);
      });
      at_the_end = executed;
    });
    EXPECT_EQ(at_the_end, tasks) << members;
  }
}

TEST(Constructs, ExecuteASingleOnceAndReduceAllValues) {
  for (const unsigned members : sizes) {
    unsigned executed = 0;
    std::uint64_t sum = 0;
    on_weirs_team("epyc-9654-2s", members, [&](weirs_team& t) {
      for (unsigned j = 0; j < 10; ++j)
        t.parallel([&](unsigned me) {
          engine::here().compute(from_ns((me * 31 + j) % 70));
          executed += t.takes_single(me);
          t.barrier(me);
          t.reduce(me, me + 1);
        });
      sum = t.reduced();
    });
    EXPECT_EQ(executed, 10u) << members;
    EXPECT_EQ(sum, 10u * members * (members + 1) / 2) << members;
  }
}

TEST(Constructs, TakeTheSameTimeForTheSameSeed) {
  const machine_model m = machine("epyc-9654-2s");
  for (const construct& c : constructs()) {
    const result a = simulate(m, asked(c.name, 16)), b = simulate(m, asked(c.name, 16));
    EXPECT_EQ(a.episode_ns, b.episode_ns) << c.name;
    EXPECT_EQ(a.moved, b.moved) << c.name;
  }
  question other = asked("parallel", 16);
  other.seed = 2;
  EXPECT_NE(simulate(m, other).episode_ns, simulate(m, asked("parallel", 16)).episode_ns);
}

// Polls take a moment there, too: else a member that looks at the clock between its polls would do so for ever.
TEST(Constructs, EndOnAMachineWithoutCosts) {
  const machine_model m = machine("ideal");
  for (const construct& c : constructs())
    for (const unsigned members : {2u, 8u, 64u}) {
      const result r = simulate(m, asked(c.name, members));
      // Thieves that have found nothing pause, by the number of their looks.
      const double pauses = c.group == std::string_view("task") ? 3 : 0.1;
      EXPECT_LE(r.overhead_ns(), pauses * r.reference_ns + 2) << c.name << members;
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

TEST(NestedTeams, HaveTheLargestPartsOfAMachine) {
  const auto counts = [](const char* name, unsigned members) {
    std::vector<int> found;
    int next = 0;
    for (const auto& part : parts_of(cut(machine(name), members), members)) {
      EXPECT_EQ(part.place, next);
      next += part.count;
      found.push_back(part.count);
    }
    return found;
  };
  EXPECT_EQ(counts("epyc-9654-2s", 192), (std::vector{96, 96})) << "sockets";
  EXPECT_EQ(counts("epyc-9654-2s", 32), (std::vector{8, 8, 8, 8})) << "chips of one socket";
  EXPECT_EQ(counts("epyc-9654-2s", 8), (std::vector{4, 4})) << "halves of one chip";
  EXPECT_EQ(counts("xeon-6980p", 128), (std::vector{43, 43, 42})) << "dies";
  EXPECT_EQ(counts("ideal", 3), (std::vector{3})) << "no team of one";
}

TEST(NestedTeams, StayInTheirParts) {
  // Nothing comes from the other socket: the memory of each inner team lies beside its primary thread.
  for (const char* runtime : {"weir", "libgomp"}) {
    const result r = simulate(machine("epyc-9654-2s"), asked("nested-parallel", 192, runtime));
    EXPECT_LT(r.moved.back(), 0.2) << runtime;
  }
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

TEST(Memory, OfTheMembersOfALargeTeamLiesBesideThem) {
  constexpr std::size_t line = 64;
  for (const unsigned members : {16u, 17u, 192u}) {
    machine_model m = cut(machine("epyc-9654-2s"), members);
    m.homes = placement::allocator;
    weirs_team t(m, members);
    engine e(m, {.quantum = m.system.quantum});
    unsigned beside = 0;
    e.add_job("team", members, 0, 0, [](const job&) {}, [&](unsigned number) {
      if (number != 0) return t.work(number);
      t.parallel([](unsigned) {});
      for (unsigned i = 0; i < members; ++i) {
        const auto* const begin = reinterpret_cast<const char*>(&t.member_of(i));
        bool lies_there = true;
        for (std::size_t at = 0; at < sizeof t.member_of(i); at += line) lies_there &= engine::here().lies_beside(begin + at, i);
        beside += lies_there;
      }
      t.dismiss();
    });
    e.run();
    // What nobody has made lies nowhere until it is used.
    EXPECT_EQ(beside, members > 16 ? members - 1 : 0u) << members;
  }
}

TEST(Questions, SayWhatIsKnown) {
  const machine_model m = machine("kunpeng-920");
  EXPECT_THROW(simulate(m, asked("nothing", 8)), std::invalid_argument);
  EXPECT_THROW(simulate(m, asked("barrier", 8, "libfoo")), std::invalid_argument);
  EXPECT_THROW(simulate(m, asked("barrier", 1)), std::invalid_argument);
  EXPECT_THROW(simulate(m, asked("barrier", 65)), std::invalid_argument);
  EXPECT_THROW(simulate(m, asked("single", 8, "libgomp")), std::invalid_argument);
}

}  // namespace
}  // namespace weir::simulator::openmp
