// Which thread runs where, under each policy.
#include <gtest/gtest.h>

#include <map>

#include "plain_machine.hpp"
#include "simulator/engine.hpp"

namespace weir::simulator {
namespace {

using plain::ideal;
using plain::team;

double us(time t) { return in_ns(t) / 1e3; }

struct ran {
  run_result result;
  std::vector<thread> threads;  // only their figures are used
  const application_result& operator[](std::size_t i) const { return result.applications[i]; }
};

run_result run(const scenario& s) {
  simulation experiment(s, 1, true);
  return experiment.run();
}

/// How many threads of each application run at that moment.
std::map<unsigned, unsigned> running_at(const run_result& r, time at, unsigned per_application) {
  std::map<unsigned, unsigned> count;
  for (const stretch& h : r.history)
    if (h.from <= at && at < h.until && h.doing != activity::ready && h.doing != activity::sleeping)
      ++count[h.thread / per_application];
  return count;
}

TEST(Partition, AnApplicationWaitsUntilProcessorsAreFree) {
  const run_result r = run(plain::with(ideal(4), {team(3), team(2), team(1)}));
  EXPECT_EQ(us(r.applications[0].begun), 0);
  EXPECT_EQ(r.applications[1].begun, r.applications[0].finished) << "two do not fit beside three";
  EXPECT_GE(r.applications[2].begun, r.applications[1].begun) << "nobody overtakes";
}

TEST(Partition, ThreadsOfOneProcessorTakeQuantaInTurn) {
  scenario s = plain::with(ideal(1), {team(2, "sense", "spin", 1, 3000)});
  const run_result r = run(s);  // each computes for three quanta of a millisecond
  EXPECT_EQ(us(r.end), 6000);
  std::vector<unsigned> order;
  for (const stretch& h : r.history)
    if (h.doing == activity::computing) order.push_back(h.thread);
  EXPECT_EQ(order, (std::vector<unsigned>{0, 1, 0, 1, 0, 1}));
}

TEST(Partition, WhoComesToTheBarrierAtTheEndOfItsQuantumHasCome) {
  // Two threads of exactly a quantum: the first has arrived when the second does, and no third quantum is needed.
  const run_result r = run(plain::with(ideal(1), {team(2, "counter", "spin", 1, 1000)}));
  EXPECT_EQ(us(r.end), 2000);
}

TEST(EqualPartition, ProcessorsAreSharedOutAnewOnArrivalAndLeaving) {
  scenario s = plain::with(ideal(8), {team(8, "sense", "yield", 40, 100), team(8, "sense", "yield", 10, 100)},
                           policy::equal_partition);
  s.applications[1].arrives = from_us(1000);
  const run_result r = run(s);
  const auto width = [&](unsigned application, time at) {
    std::map<unsigned, bool> processors;
    for (const stretch& h : r.history)
      if (h.thread / 8 == application && h.from >= at && h.from < at + from_us(300) && h.doing == activity::computing)
        processors[h.processor] = true;
    return processors.size();
  };
  EXPECT_EQ(width(0, from_us(500)), 8u);
  EXPECT_EQ(width(0, from_us(1500)), 4u);
  EXPECT_EQ(width(1, from_us(1500)), 4u);
  EXPECT_LT(r.applications[1].finished, r.applications[0].finished);
  EXPECT_EQ(width(0, r.applications[1].finished + from_us(300)), 8u);
}

TEST(Coscheduling, AllThreadsOfAnApplicationRunAtTheSameTime) {
  const run_result r = run(plain::with(ideal(4), {team(4, "sense", "spin", 30, 100), team(4, "sense", "spin", 30, 100)},
                                       policy::coscheduling));
  for (int slot = 0; slot < 5; ++slot) {
    const auto running = running_at(r, from_us(1000 * slot + 500), 4);
    ASSERT_EQ(running.size(), 1u) << "slot " << slot;
    EXPECT_EQ(running.begin()->second, 4u);
    EXPECT_EQ(running.begin()->first, static_cast<unsigned>(slot % 2));
  }
}

TEST(Coscheduling, ProcessorsThatASlotLeavesIdleAreFilled) {
  const run_result r = run(plain::with(ideal(4), {team(3, "sense", "spin", 40, 100), team(3, "sense", "spin", 40, 100)},
                                       policy::coscheduling));
  const auto running = running_at(r, from_us(500), 3);
  ASSERT_TRUE(running.contains(0));
  EXPECT_EQ(running.at(0), 3u);
}

TEST(Coscheduling, AThreadThatYieldsInItsOwnSlotGivesWayToAnother) {
  machine_model m = ideal(2);
  m.system.switching = from_us(1);
  scenario s = plain::with(m, {team(3, "sense", "yield", 10, 50)}, policy::coscheduling);  // two rows, one of them half empty
  simulation experiment(s, 1);
  const run_result r = experiment.run();
  EXPECT_LE(us(r.end), 10 * 2 * 50 + 200) << "else the third thread waits for its slot";
  EXPECT_LE(r.accesses, 10'000u) << "else it yields to itself for ever";
}

TEST(RoundRobinJob, ApplicationsGetEqualSharesWhateverTheirThreads) {
  const auto computed = [](policy by) {
    scenario s = plain::with(ideal(2), {team(2, "sense", "spin", 1, 100'000), team(6, "sense", "spin", 1, 100'000)}, by);
    s.system.local_queues = false;
    s.limit = from_us(60'000);
    const run_result r = run(s);
    return r;
  };
  EXPECT_THROW(computed(policy::round_robin_process), stuck);
  const auto finished = [](policy by) {
    scenario s = plain::with(ideal(2), {team(2, "sense", "spin", 1, 20'000), team(6, "sense", "spin", 1, 20'000)}, by);
    s.system.local_queues = false;
    return us(run(s).applications[0].finished);
  };
  // Alone the small one needs 20 ms. With an equal share for each thread it has a quarter of the machine, with an
  // equal share for each application a half.
  EXPECT_NEAR(finished(policy::round_robin_process), 80'000, 8'000);
  EXPECT_NEAR(finished(policy::round_robin_job), 40'000, 4'000);
}

TEST(ProcessControl, NoMoreThreadsRunThanThereAreProcessors) {
  scenario s = plain::with(ideal(4), {team(8, "sense", "spin", 20, 100), team(8, "sense", "spin", 20, 100)},
                           policy::process_control);
  const run_result r = run(s);
  for (int at = 50; at < 1500; at += 100)
    for (const auto& [application, count] : running_at(r, from_us(at), 8)) EXPECT_LE(count, 2u) << application;
  // A thread that waits yields immediately: four rounds of two threads for each barrier, and nothing more.
  EXPECT_EQ(us(r.applications[0].finished), 20 * 4 * 100);
}

TEST(Shares, NoMoreThreadsRunThanThereAreProcessorsAndWhoLeavesGivesThemBack) {
  scenario s = plain::with(ideal(4), {team(8, "sense", "spin", 20, 100), team(8, "sense", "spin", 60, 100)}, policy::shares);
  const run_result r = run(s);
  for (int at = 50; at < 1500; at += 100)
    for (const auto& [application, count] : running_at(r, from_us(at), 8)) EXPECT_LE(count, 2u) << application;
  // 20 barriers on two processors each, and 40 on four.
  EXPECT_EQ(us(r.applications[0].finished), 20 * 4 * 100);
  EXPECT_NEAR(us(r.applications[1].finished), 20 * 4 * 100 + 40 * 2 * 100, 400);
}

TEST(SkipSpinning, ASpinningThreadIsNotScheduled) {
  const auto end = [](bool skip) {
    scenario s = plain::with(ideal(1), {team(4, "sense", "spin", 10, 100)}, policy::round_robin_process);
    s.system.skip_spinning = skip;
    return us(run(s).end);
  };
  // All on one processor: a waiting thread keeps it until its quantum ends. With the rule a quantum is lost only to a thread that
  // has the processor when it begins to wait.
  EXPECT_GE(end(false), 10 * 3 * 1000);
  EXPECT_LE(end(true), end(false));
}

TEST(Queues, ThreadsMoveOnlyWhereTheQueueIsCommon) {
  const auto migrations = [](bool local) {
    scenario s = plain::with(ideal(2), {team(3, "sense", "spin", 5, 700)});
    s.system.by = policy::round_robin_process;
    s.system.local_queues = local;
    simulation experiment(s, 1);
    experiment.run();
    std::uint64_t sum = 0;
    for (const thread& t : experiment.machine().threads()) sum += t.migrations;
    return sum;
  };
  EXPECT_EQ(migrations(true), 0u);
  EXPECT_GT(migrations(false), 0u);
}

TEST(Costs, SwitchesAndMigrationsTakeTime) {
  machine_model m = ideal(1);
  m.system.switching = from_us(10);
  simulation experiment(plain::with(m, {team(2, "sense", "spin", 1, 3000)}), 1);
  const run_result r = experiment.run();
  EXPECT_EQ(us(r.end), 6000 + 6 * 10);  // the first to arrive is switched to once more, to leave
  EXPECT_EQ(experiment.machine().kernel().processors()[0].switches, 6u);
}

TEST(Waiting, YieldingShareTheProcessorWithoutLosingQuanta) {
  machine_model m = ideal(2);
  m.system.switching = from_us(1);
  for (const char* waiting : {"yield", "share", "block", "auto"}) {
    const double took = us(run(plain::with(m, {team(4, "sense", waiting, 20, 100)})).end);
    EXPECT_GE(took, 20 * 200) << waiting;
    EXPECT_LE(took, 20 * 250) << waiting;
  }
  EXPECT_GE(us(run(plain::with(m, {team(4, "sense", "spin", 20, 100)})).end), 10 * 1000);
}

TEST(Times, OfAThreadAddUpAndOfAProcessorDoNotExceedTheEnd) {
  for (const policy by : {policy::partition, policy::coscheduling, policy::round_robin_process, policy::process_control}) {
    scenario s = plain::with(plain::machine(4), {team(6, "mcs", "share", 30, 50), team(3, "sense", "block", 30, 50)}, by);
    s.machine.system.switching = from_us(2);
    s.applications[0].processors = 2;
    s.applications[0].varies = distribution::exponential;
    simulation experiment(s, 3);
    const run_result r = experiment.run();
    for (const thread& t : experiment.machine().threads()) {
      time sum = 0;
      for (const time spent : t.spent) sum += spent;
      const application_result& result = r.applications[t.application];
      EXPECT_LE(sum, result.finished - result.begun);
      EXPECT_GE(sum, result.finished - result.begun - from_us(200)) << "it may end before the last of its team";
    }
    for (const processor& p : experiment.machine().kernel().processors()) {
      time sum = 0;
      for (const time spent : p.spent) sum += spent;
      EXPECT_LE(sum, r.end + from_us(1)) << "a preempted thread's last hits may lie beyond the moment";
    }
  }
}

}  // namespace
}  // namespace weir::simulator
