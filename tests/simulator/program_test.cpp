// Programs, files, what comes out: distributions, traces, complaints, determinism, and the barriers' contract.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <typeindex>

#include "plain_machine.hpp"
#include "simulator/outcome.hpp"
#include "simulator/simulated_barriers.hpp"
#include "simulator/toml_reader.hpp"

namespace weir::simulator {
namespace {

using plain::ideal;
using plain::team;

constexpr const char* machines = WEIR_MACHINES;

std::string dump(const scenario& s, std::uint64_t seed) {
  simulation experiment(s, seed);
  const run_result r = experiment.run();
  auto j = outcome(s, experiment, r, 16);
  j.erase("host_s");
  return j.dump();
}

TEST(Distributions, HaveTheirMeansAndBounds) {
  application a = team(2, "sense", "spin", 1, 10);
  const auto drawn = [&](distribution d, unsigned member) {
    a.varies = d;
    dice random(5);
    double sum = 0, least = HUGE_VAL, most = 0;
    for (int i = 0; i < 20'000; ++i) {
      const double t = in_ns(draw(a, member, random));
      sum += t;
      least = std::min(least, t);
      most = std::max(most, t);
    }
    return std::array{sum / 20'000, least, most};
  };
  EXPECT_EQ(drawn(distribution::constant, 0), (std::array{10'000., 10'000., 10'000.}));
  const auto uniform = drawn(distribution::uniform, 0);
  EXPECT_NEAR(uniform[0], 10'000, 100);
  EXPECT_GE(uniform[1], 5'000);
  EXPECT_LE(uniform[2], 15'000);
  EXPECT_LT(uniform[1], 5'100);
  EXPECT_GT(uniform[2], 14'900);
  const auto exponential = drawn(distribution::exponential, 0);
  EXPECT_NEAR(exponential[0], 10'000, 300);
  EXPECT_GT(exponential[2], 70'000);
  EXPECT_EQ(drawn(distribution::slow_member, 0)[0], 20'000);
  EXPECT_EQ(drawn(distribution::slow_member, 1)[0], 10'000);
}

TEST(Dice, AreTheSameEverywhere) {
  dice d(1);
  EXPECT_EQ(d.next(), 0x910a2dec89025cc1u);  // splitmix64 from seed 1
}

TEST(Traces, SendLockAndMeetInOrder) {
  const plain::folder folder;
  const std::string path = folder.file("t.jsonl", R"({"schema": "weir-trace/1", "members": 2}
{"member": 0, "do": "compute", "ns": 5000}
{"member": 0, "do": "send", "to": 1}
{"member": 1, "do": "receive", "from": 0}
{"member": 1, "do": "compute", "ns": 100}

{"member": 0, "do": "lock", "lock": 3}
{"member": 0, "do": "compute", "ns": 7000}
{"member": 0, "do": "unlock", "lock": 3}
{"member": 1, "do": "lock", "lock": 3}
{"member": 1, "do": "compute", "ns": 1000}
{"member": 1, "do": "unlock", "lock": 3}
{"member": 0, "do": "barrier"}
{"member": 1, "do": "barrier"}
)");
  application a = team(2);
  a.trace = read_trace(path);
  EXPECT_EQ(a.trace[0].size(), 6u);
  simulation experiment(plain::with(ideal(2), {a}), 1);
  const run_result r = experiment.run();
  // 5 us until the message, then 7 in the lock of the one, then 1 in that of the other.
  EXPECT_NEAR(in_ns(r.applications[0].episodes.at(0).last_arrival), 13'000, 150);
  EXPECT_NEAR(in_ns(r.applications[0].episodes.at(0).first_arrival), 12'000, 150);
}

TEST(Traces, HaveLinesForAllMembers) {
  const plain::folder folder;
  const std::string head = "{\"schema\": \"weir-trace/1\", \"members\": 2}\n";
  const std::string path = folder.file("t.jsonl", head + R"({"do": "lock", "lock": 7, "after_ns": [1000, 200.5]}
{"do": "unlock", "lock": 7, "after_ns": [50, 60]}
{"member": 1, "do": "compute", "ns": 300}
{"do": "barrier", "after_ns": [0, 4000]}
)");
  application a = team(2);
  a.trace = read_trace(path);
  using kind = program_event::kind;
  using list = std::vector<std::pair<kind, std::uint64_t>>;
  const auto events = [&](unsigned member) {
    list listed;
    for (const program_event& e : a.trace[member]) listed.emplace_back(e.what, e.value);
    return listed;
  };
  const auto of_first = [](std::uint64_t before, std::uint64_t inside) {
    return list{{kind::compute, before}, {kind::lock, 7}, {kind::compute, inside}, {kind::unlock, 7}, {kind::barrier, 0}};
  };
  EXPECT_EQ(events(0), of_first(1'000'000, 50'000));
  EXPECT_EQ(events(1), (list{{kind::compute, 200'500},
                             {kind::lock, 7},
                             {kind::compute, 60'000},
                             {kind::unlock, 7},
                             {kind::compute, 300'000},
                             {kind::compute, 4'000'000},
                             {kind::barrier, 0}}));
  slow_down(a.trace, 2.5);
  EXPECT_EQ(events(0), of_first(2'500'000, 125'000));

  const auto complaint = [&](const std::string& line) -> std::string {
    try {
      read_trace(folder.file("bad.jsonl", head + line + "\n"));
    } catch (const bad_file& error) {
      return error.what();
    }
    return "nothing";
  };
  for (const auto& [line, expected] : std::map<std::string, std::string>{
           {R"({"do": "barrier", "after_ns": [1]})", ":2: after_ns: expected a list of nanoseconds, one for each of 2 members"},
           {R"({"do": "barrier", "after_ns": [1, -1]})", ":2: after_ns: expected nanoseconds, 0 to 1e15, not -1"},
           {R"({"do": "compute", "after_ns": [1, 1], "ns": 5})", ":2: do: expected anything but compute"},
           {R"({"do": "barrier"})", ":2: member: expected a whole number, or after_ns in its place"},
           {R"({"do": "wait", "after_ns": [1, 1]})", ":2: do: expected one of compute"}})
    EXPECT_NE(complaint(line).find(expected), std::string::npos) << complaint(line);
}

TEST(Outcome, IsWrittenEvenIfNobodySpentAnyTime) {
  const auto j = nlohmann::json::parse(dump(plain::with(ideal(4), {team(4, "counter", "spin", 5, 0)}), 1));
  EXPECT_EQ(j["threads"].size(), 4u);
  EXPECT_EQ(j["end_ns"], 0);
}

TEST(Warmup, IsNotCounted) {
  scenario s = plain::with(plain::machine(4), {team(4, "counter", "spin", 50)});
  const auto updates = [&](unsigned warmup) {
    s.applications[0].warmup = warmup;
    simulation experiment(s, 1);
    const run_result r = experiment.run();
    EXPECT_EQ(outcome(s, experiment, r, 0)["applications"][0]["episode_ns"].size(), 50 - warmup);
    return experiment.machine().memory().all_counts().atomics;
  };
  EXPECT_EQ(updates(0), 4u * 50);
  EXPECT_NEAR(static_cast<double>(updates(20)), 4 * 30, 4) << "but for who is just arriving";
}

TEST(Stuck, SaysWhoWaitsAndWhoHasEnded) {
  application a = team(3);
  a.trace.resize(3);
  for (int m = 0; m < 3; ++m) a.trace[m].push_back({program_event::kind::barrier, 0});
  a.trace[0].push_back({program_event::kind::barrier, 0});
  a.trace[1].push_back({program_event::kind::receive, 2});
  simulation experiment(plain::with(ideal(3), {a}), 1);
  try {
    experiment.run();
    FAIL() << "it cannot finish";
  } catch (const stuck& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("member 0: polls at its barrier, episode 1"), std::string::npos) << text;
    EXPECT_NE(text.find("member 1: sleeps at a message"), std::string::npos) << text;
    EXPECT_NE(text.find("have ended: application member 2"), std::string::npos) << text;
  }
}

TEST(Stuck, AlsoWhereTheTimeIsOver) {
  scenario s = plain::with(ideal(2), {team(2, "sense", "spin", 100, 100)});
  s.limit = from_us(5000);
  simulation experiment(s, 1);
  try {
    experiment.run();
    FAIL() << "it takes 10 ms";
  } catch (const stuck& error) {
    EXPECT_NE(std::string(error.what()).find("not finished by the limit"), std::string::npos) << error.what();
  }
}

TEST(Memory, NeededGrowsWithWhatIsAskedFor) {
  scenario s = plain::with(ideal(8), {team(8)});
  const double little = bytes_needed(s);
  s.applications[0].barriers = 1'000'000;
  const double longer = bytes_needed(s);
  s.applications[0].members = 4096;
  EXPECT_GT(longer, little + 1e6);
  EXPECT_GT(bytes_needed(s), longer + 10e6);
}

// Beside the members' stacks. Whatever plans there are, and in whatever shape.
TEST(Memory, NeededIsNoLessThanThatOfTheBarrier) {
  constexpr unsigned members = 512;
  weir::team t;
  t.members = members;
  for (const weir::plans::entry& e : weir::plans::table)
    for (const weir::plans::shape shape : {weir::plans::shape{}, {.radix = 64, .fan_in = 1, .fan_out = 1}}) {
      scenario s = plain::with(ideal(8), {team(members, e.name)});
      s.applications[0].shape = shape;
      const auto takes = static_cast<double>(registry<simulated>::make(e.name, "spin", t, shape)->bytes());
      EXPECT_GE(bytes_needed(s) - members * 16e3, takes) << e.name << ", radix " << shape.radix;
    }
}

TEST(Determinism, SameSeedSameDigits) {
  for (const char* barrier : {"distributed", "counter", "mcs", "condvar", "dissemination"}) {
    scenario s = plain::with(plain::machine(8), {team(12, barrier, "auto", 40, 3)});
    s.applications[0].varies = distribution::exponential;
    s.machine.system.switching = from_us(1);
    const std::string first = dump(s, 7);
    dump(plain::with(plain::machine(4), {team(3)}), 1);
    EXPECT_EQ(dump(s, 7), first) << barrier;
    EXPECT_NE(dump(s, 8), first) << barrier;
  }
}

// run() itself throws if a member leaves before all have arrived, or if none can continue.
TEST(Contract, EveryBarrierInEveryMannerKeepsIt) {
  for (const auto& a : registry<simulated>::algorithms())
    for (const auto& w : registry<simulated>::waitings())
      for (const unsigned members : {1u, 2u, 3u, 5u, 8u, 16u})
        for (const unsigned processors : {2u, 8u}) {
          scenario s = plain::with(plain::machine(processors), {team(members, a.name, w.name, 20, 0.3)});
          s.applications[0].varies = distribution::uniform;
          s.applications[0].processors = std::min(members, processors);
          s.machine.processor.store_buffer = 4;
          s.machine.processor.misses = 4;
          s.machine.system = {from_us(20), from_us(1), from_us(0.2), from_us(0.5), from_us(0.5), from_us(3), from_us(1)};
          s.system.quantum = from_us(20);
          simulation experiment(s, members + processors);
          EXPECT_NO_THROW(experiment.run()) << a.name << "/" << w.name << ", " << members << " on " << processors;
        }
}

TEST(Registry, EachPolicyIsOfItsName) {
  weir::team t;
  t.members = 2;
  std::set<std::type_index> made;
  for (const auto& w : registry<simulated>::waitings())
    for (const char* algorithm : {"counter", "mcs"}) {
      const auto barrier = registry<simulated>::make(algorithm, w.name, t);
      EXPECT_TRUE(made.insert(typeid(*barrier)).second) << algorithm << "/" << w.name << " waits as another does";
    }
}

// A region begins by a store and a load, or by another barrier; a reduction has an update more of each member.
TEST(Constructs, CostWhatTheirStepsDo) {
  const auto time_of = [](construct what, release by) {
    application a = team(4, "sense", "spin", 12, 1);
    a.what = what;
    a.begins_by = by;
    a.warmup = 4;
    simulation s(plain::with(plain::machine(4), {a}), 1);
    const application_result r = s.run().applications[0];
    return in_ns(r.episodes.back().last_leaving - r.episodes[a.warmup - 1].last_leaving) / 8;
  };
  const double barrier = time_of(construct::barrier, release::word) - 1000;
  const double region = time_of(construct::region, release::word) - 1000;
  const double by_barrier = time_of(construct::region, release::barrier) - 1000;
  const double reduction = time_of(construct::reduction, release::word) - 1000;
  EXPECT_GT(region, barrier);
  EXPECT_LT(region, by_barrier);
  EXPECT_GE(by_barrier, 2 * barrier);
  EXPECT_LT(by_barrier, 3 * barrier);  // whose members arrive one after the other, as the first has let them go
  EXPECT_GT(reduction, region);
}

// A member that is late keeps a region open, and the release of the next one waits for it.
TEST(Constructs, NoMemberIsInTheNextRegionBeforeAllHaveEndedThis) {
  for (const release by : {release::word, release::barrier}) {
    application a = team(4, "dissemination", "spin", 20, 1);
    a.what = construct::reduction;
    a.begins_by = by;
    a.varies = distribution::exponential;
    simulation s(plain::with(plain::machine(4), {a}), 1);
    const application_result r = s.run().applications[0];  // throws broken_run if a member leaves early
    for (std::size_t e = 1; e < r.episodes.size(); ++e) EXPECT_GE(r.episodes[e].first_arrival, r.episodes[e - 1].last_arrival);
  }
}

struct complaint {
  const char* what;
  const char* from;
  const char* to;
  const char* says;
};
std::ostream& operator<<(std::ostream& out, const complaint& c) { return out << c.what; }

std::string with_change(std::string text, const complaint& c) {
  const std::size_t at = text.find(c.from);
  EXPECT_NE(at, std::string::npos) << c.from;
  return text.replace(at, std::string(c.from).size(), c.to);
}

class BadScenario : public testing::TestWithParam<complaint> {};
TEST_P(BadScenario, IsComplainedOf) {
  const std::string good = "machine = \"ideal\"\nprocessors = 4\n[system]\npolicy = \"partition\"\n[[application]]\n"
                           "members = 4\nbarrier = \"sense\"\nbarriers = 10\ncompute_us = 1\n[sweep]\nprocessors = [4, 2]\n";
  const plain::folder folder;
  const scenario_file fine(folder.file("good.toml", good), machines);
  EXPECT_EQ(fine.points(), 2u);
  EXPECT_EQ(fine.at(1).machine.processors, 2u);
  const std::string path = folder.file("bad.toml", with_change(good, GetParam()));
  try {
    const scenario_file bad(path, machines);
    for (std::size_t i = 0; i < bad.points(); ++i) bad.at(i);
    FAIL() << "no complaint";
  } catch (const bad_file& error) {
    EXPECT_NE(std::string(error.what()).find(path + GetParam().says), std::string::npos) << error.what();
  }
}
INSTANTIATE_TEST_SUITE_P(
    Files, BadScenario,
    testing::Values(
        complaint{"missing", "members = 4\n", "", ":5: application.members: expected a whole number"},
        complaint{"type", "members = 4", "members = \"four\"",
                  ":6: application.members: expected a whole number from 1 to 65536, not 'four'"},
        complaint{"range", "members = 4", "members = 70000",
                  ":6: application.members: expected a whole number from 1 to 65536, not 70000"},
        complaint{"unknown_key", "barriers = 10", "barriers = 10\nepisodes = 3", ":9: application.episodes: no such key here"},
        complaint{"barrier", "\"sense\"", "\"sens\"", ":7: application.barrier: expected one of counter, sense"},
        complaint{"waiting", "\"sense\"", "\"sense\"\nwaiting = \"wait\"", ":8: application.waiting: expected one of auto, spin"},
        complaint{"construct", "compute_us = 1", "compute_us = 1\nconstruct = \"loop\"",
                  ":10: application.construct: expected one of barrier, "},
        complaint{"release_of_barrier", "compute_us = 1", "compute_us = 1\nrelease = \"word\"",
                  ":10: application.release: expected nothing: only a construct \"region\" or \"reduction\" begins by a release"},
        complaint{"policy", "\"partition\"", "\"fair\"", ":4: system.policy: expected one of partition"},
        complaint{"machine", "\"ideal\"", "\"ideall\"", ":1: machine: expected a file, or one of"},
        complaint{"too_many_processors", "[4, 2]", "[4, 65]", ":11: processors: expected a whole number from 1 to 64, not 65"},
        complaint{"empty_sweep", "[4, 2]", "[]", ":11: processors: expected a list of values to sweep over"},
        complaint{"sweep_path", "processors = [4, 2]", "\"sistem.policy\" = [1]",
                  ":11: sistem.policy: [sweep] leads to a table that is not there"},
        complaint{"sweep_value", "[4, 2]", "[4, 0]", ":11: processors: expected a whole number"},
        complaint{"no_application", "[[application]]", "[other]", ":1: application: expected one or more tables [[application]]"},
        complaint{"not_toml", "processors = 4", "processors 4", ":2:"},
        complaint{"warmup", "barriers = 10", "barriers = 10\nwarmup = 10",
                  ":9: application.warmup: expected a whole number from 0 to 9"}),
    [](const auto& one) { return one.param.what; });

class BadMachine : public testing::TestWithParam<complaint> {};
TEST_P(BadMachine, IsComplainedOf) {
  const std::string good =
      "name = \"m\"\nprocessors = 8\nline_bytes = 64\ncaching = \"coherent\"\natomics = \"owned\"\nclean_copy = \"home\"\n"
      "[processor]\nhit_ns = 1\npoll_ns = 1\nstore_ns = 1\natomic_ns = 1\nstore_buffer = 1\noutstanding_misses = 1\n"
      "invalidate_ns = 0\n[[distance]]\nname = \"a\"\ngroup = 2\nfetch_ns = 1\nmemory_ns = 1\nbusy_ns = 1\nbus_ns = 0\n"
      "[[distance]]\nname = \"b\"\ngroup = 8\nfetch_ns = 1\nmemory_ns = 1\nbusy_ns = 1\nbus_ns = 0\n";
  const plain::folder folder;
  EXPECT_EQ(read_machine(folder.file("good.toml", good)).processors, 8u);
  const std::string path = folder.file("bad.toml", with_change(good, GetParam()));
  try {
    read_machine(path);
    FAIL() << "no complaint";
  } catch (const bad_file& error) {
    EXPECT_NE(std::string(error.what()).find(path + GetParam().says), std::string::npos) << error.what();
  }
}
INSTANTIATE_TEST_SUITE_P(
    Files, BadMachine,
    testing::Values(
        complaint{"line", "line_bytes = 64", "line_bytes = 48", ":3: line_bytes: expected 32, 64 or 128"},
        complaint{"atomics", "\"owned\"", "\"memory\"", ":5: atomics: expected \"memory\" with caching = \"none\""},
        complaint{"negative", "hit_ns = 1", "hit_ns = -1", ":8: processor.hit_ns: expected a number from 0"},
        complaint{"division", "group = 2", "group = 3", ":24: distance.group: expected a multiple of the group before, 3"},
        complaint{"last_group", "group = 8", "group = 4", ":2: processors: expected as many as the last distance's group, 4"},
        complaint{"first_ring", "bus_ns = 0\n[[distance]]", "bus_ns = 0\nring_ns = 1\n[[distance]]",
                  ":22: distance.ring_ns: expected a ring of smaller groups"},
        complaint{"unknown_key", "store_buffer", "store_bufer",
                  ":7: processor.store_buffer: expected a whole number from 1 to 1024, and it is missing"}),
    [](const auto& one) { return one.param.what; });

class BadTrace : public testing::TestWithParam<complaint> {};
TEST_P(BadTrace, IsComplainedOf) {
  const std::string good = "{\"schema\": \"weir-trace/1\", \"members\": 2}\n{\"member\": 0, \"do\": \"compute\", \"ns\": 5}\n"
                           "{\"member\": 1, \"do\": \"send\", \"to\": 0}\n{\"member\": 0, \"do\": \"lock\", \"lock\": 1}\n";
  const plain::folder folder;
  EXPECT_EQ(read_trace(folder.file("good.jsonl", good)).size(), 2u);
  const std::string path = folder.file("bad.jsonl", with_change(good, GetParam()));
  try {
    read_trace(path);
    FAIL() << "no complaint";
  } catch (const bad_file& error) {
    EXPECT_NE(std::string(error.what()).find(path + GetParam().says), std::string::npos) << error.what();
  }
}
INSTANTIATE_TEST_SUITE_P(
    Files, BadTrace,
    testing::Values(
        complaint{"schema", "weir-trace/1", "weir-trace/9", ":1: schema: expected \"weir-trace/1\" in the first line"},
        complaint{"schema_of_no_text", "\"weir-trace/1\"", "7", ":1: schema: expected \"weir-trace/1\" in the first line"},
        complaint{"members", "\"members\": 2", "\"members\": 0", ":1: members: expected at least 1"},
        complaint{"member", "\"member\": 1", "\"member\": 2", ":3: member: expected a whole number from 0 to 1, not 2"},
        complaint{"verb", "\"send\"", "\"sent\"", ":3: do: expected one of compute, barrier"},
        complaint{"time", "\"ns\": 5", "\"ns\": -5", ":2: ns: expected nanoseconds"},
        complaint{"missing", ", \"to\": 0", "", ":3: to: expected a whole number from 0 to 1, and it is missing"},
        complaint{"lock", "\"lock\": 1}", "\"lock\": 5000}", ":4: lock: expected a whole number from 0 to 1023, not 5000"},
        complaint{"not_json", "{\"member\": 0, \"do\": \"compute\", \"ns\": 5}", "hello", ":2: line: expected a JSON object"}),
    [](const auto& one) { return one.param.what; });

}  // namespace
}  // namespace weir::simulator
