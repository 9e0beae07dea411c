// Virtual processors in every interleaving: their run queues, the lists of those that sleep, and the kernel threads that park. No
// body is lost, none is taken twice, and no thread sleeps through what it waits for. Each mutant breaks one operation, named by
// its line, and is found in every run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>

#include "threads/scenarios.hpp"

namespace {

using namespace explored_threads;

const std::vector<named> all = all_scenarios();

subject scenario_of(const std::string& name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const named& each) { return each.name == name; });
  EXPECT_NE(found, all.end()) << name;
  return found->its;
}

class RunQueue : public testing::TestWithParam<memory_model> {};
TEST_P(RunQueue, HoldsInEachScenario) {
  for (const named& each : all) {
    const verdict its = explore(each.its, {.memory = GetParam()});
    EXPECT_TRUE(its.holds && its.complete) << each.name << '\n' << its.timeline;
  }
}
const char* name_of(memory_model memory) {
  return memory == memory_model::sc ? "Sc" : memory == memory_model::tso ? "Tso" : "Weak";
}
INSTANTIATE_TEST_SUITE_P(In, RunQueue, testing::Values(memory_model::sc, memory_model::tso, memory_model::weak),
                         [](const auto& of) { return name_of(of.param); });

enum class file { runnable, run_queue, sleep_queue, parking, event_counts };
constexpr const char* names[] = {"scheduling/runnable.hpp", "scheduling/run_queue.hpp", "scheduling/sleep_queue.hpp",
                                 "scheduling/parking.hpp", "scheduling/event_counts.hpp"};

constexpr auto left_out = fault::kind::left_out, reads = fault::kind::reads;
constexpr auto sc = memory_model::sc, tso = memory_model::tso, weak = memory_model::weak;

struct mutant {
  file in;
  std::string line;  // all of it, or its begin
  fault::kind how;
  std::uint64_t value;
  std::string scenario;
  memory_model memory;  // the strongest in which it is found
  unsigned which = 0;   // of lines with the same text
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
const mutant mutants[] = {
    // A thread that sleeps, and one that has something for it.
    {file::run_queue, "Machine::full_fence();", left_out, 0, "arriving", tso, 0},  // in await_arrival()
    {file::run_queue, "Machine::full_fence();", left_out, 0, "handing off", weak, 1},  // in hand_off()
    {file::run_queue, "Machine::full_fence();", left_out, 0, "arriving", weak, 2},  // in push()
    {file::run_queue, "Machine::wake(asleep_);", left_out, 0, "arriving", sc},
    {file::sleep_queue, "Machine::full_fence();", left_out, 0, "sleeping", weak},
    {file::parking, "Machine::wake(ended_);", left_out, 0, "closing", sc},
    {file::parking, "Machine::fence_everywhere();", left_out, 0, "watching what is done inside", tso},
    {file::parking, "if (asleep_.exchange(", left_out, 0, "watching what is done outside", sc},
    {file::parking, "if (asleep_.exchange(", fault::kind::wakes_one, 0, "relieving", sc},
    // A claimant, and the body that runs.
    {file::run_queue, "if (Machine::fence_everywhere() && is_granted", left_out, 0, "stealing from one that takes", tso},
    {file::run_queue, "void ask_for_claim() { claimed_.store(1,", left_out, 0, "stealing from one that takes", sc},
    {file::run_queue, "void unclaim() {", left_out, 0, "stealing from one that takes", sc},
    {file::run_queue, "return current()->held.load(", reads, 0, "stealing from one that takes", sc},
    {file::run_queue, "std::uint32_t switches() const {", reads, 1, "leaving", sc},
    {file::runnable, "held.store(before + 1,", left_out, 0, "stealing from one that takes", sc},
    {file::runnable, "calling.store(calling.load(std::memory_order_relaxed) + 1,", left_out, 0, "calling", sc},
    {file::run_queue, "bool is_claimed() const {", reads, 0, "calling", sc},
    {file::run_queue, "bool is_claimed() const {", reads, 0, "stealing from one that takes", sc},
    // Bodies that go elsewhere.
    {file::run_queue, "for_each_of(arrived_.exchange(closed(),", reads, 0, "closing", sc},
    {file::run_queue, "send_all_but([this](runnable& b) { return b.seat.load(", reads, offsetof(returning_stolen, thief),
     "returning stolen", sc},
    {file::run_queue, "runnable* latest = arrived_.load(", reads, 0, "handing off", sc, 1},  // in forward_arrived()
    // The lists of those that sleep.
    {file::sleep_queue, "sleepers_.fetch_add(", left_out, 0, "sleeping", sc},
    {file::sleep_queue, "sleepers_.fetch_sub(", left_out, 0, "sleeping", sc},
    {file::run_queue, "basic_run_queue* const seat = b.seat.load(", reads, offsetof(sleeping_away, stand_in), "sleeping away", sc,
     1},  // in alone_runs(),
    {file::sleep_queue, "while (taken_.exchange(", reads, 0, "waking twice", sc},
    {file::sleep_queue, "const bool sleeps = on.load(", reads, 0, "sleeping", sc},
    {file::sleep_queue, "before->next.store(behind,", left_out, 0, "sleeping in order", sc},
    // Event counts.
    {file::event_counts, "waiters_.fetch_add(", left_out, 0, "counting", sc},
    {file::event_counts, "Machine::fence_after_update();", left_out, 0, "counting", weak, 0},  // in announce()
    {file::event_counts, "Machine::fence_after_update();", left_out, 0, "counting", weak, 1},  // in happens()
    {file::event_counts, "events_.fetch_add(", left_out, 0, "counting", sc},
    {file::event_counts, "bool has_waiters() const {", reads, 0, "counting", sc},
    {file::event_counts, "void retire() {", left_out, 0, "counting", sc},
    {file::sleep_queue, "static const word* awaits(", reads, offsetof(sleeping_in_order, changed), "sleeping in order", sc},
};
#pragma GCC diagnostic pop

unsigned line_of(const mutant& m) {
  std::ifstream in(std::filesystem::path(WEIR_SOURCE) / "src/threads" / names[int(m.in)]);
  std::string line;
  unsigned which = m.which;
  for (unsigned number = 1; std::getline(in, line); ++number) {
    line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
    if (line.starts_with(m.line) && which-- == 0) return number;
  }
  return 0;
}

TEST(RunQueueMutants, EachIsFound) {
  for (const mutant& m : mutants) {
    const fault its{m.how, names[int(m.in)], line_of(m), m.value};
    EXPECT_NE(its.line, 0u) << m.line;
    const subject s = scenario_of(m.scenario);
    present = &its;
    const bool found = !explore(s, {.memory = m.memory}).holds;
    const bool in_a_stronger_one = m.memory != sc && !explore(s, {.memory = m.memory == weak ? tso : sc}).holds;
    present = nullptr;
    EXPECT_TRUE(found) << names[int(m.in)] << ':' << its.line << ": " << m.line << '\n' << m.scenario;
    EXPECT_FALSE(in_a_stronger_one) << names[int(m.in)] << ':' << its.line << ": " << m.line << '\n' << m.scenario;
  }
}

}  // namespace
