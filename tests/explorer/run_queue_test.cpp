// Virtual processors in every interleaving: their run queues, the lists of those that sleep, and the kernel threads that park. No
// body is lost, none is taken twice, and no thread sleeps through what it waits for. Each mutant breaks one operation, named by
// its line, and is found in every run.
#include <gtest/gtest.h>

#include <cstddef>

#include "threads/mutants.hpp"

namespace {

using namespace explored_threads;

const std::vector<named> programs = all_scenarios();

class RunQueue : public testing::TestWithParam<memory_model> {};
TEST_P(RunQueue, HoldsInEachScenario) {
  for (const named& each : programs) {
    const verdict v = explore(each.program, {.memory = GetParam()});
    EXPECT_TRUE(v.holds && v.complete) << each.name << '\n' << v.timeline;
  }
}
INSTANTIATE_TEST_SUITE_P(In, RunQueue, testing::Values(memory_model::sc, memory_model::tso, memory_model::weak),
                         [](const auto& of) { return name_of(of.param); });

constexpr const char *of_runnable = "threads/scheduling/runnable.hpp", *of_run_queue = "threads/scheduling/run_queue.hpp",
                     *of_sleep_queue = "threads/scheduling/sleep_queue.hpp", *of_parking = "threads/scheduling/parking.hpp",
                     *of_event_counts = "threads/scheduling/event_counts.hpp";

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
const mutant mutants[] = {
    // A thread that sleeps, and one that has something for it.
    {of_run_queue, "Machine::full_fence();", left_out, 0, "arriving", tso, 0},  // in await_arrival()
    {of_run_queue, "Machine::full_fence();", left_out, 0, "handing off", weak, 2},  // in hand_off()
    {of_run_queue, "Machine::full_fence();", left_out, 0, "arriving", weak, 3},  // in push()
    {of_run_queue, "Machine::full_fence();", left_out, 0, "blocking alone", tso, 1},  // in blocks_alone()
    {of_run_queue, "blocks_.store(alone,", left_out, 0, "blocking alone", sc},
    {of_run_queue, "if (blocks_.compare_exchange_strong(was,", fault::kind::does_not_compare, 0, "blocking for a moment", sc},
    {of_run_queue, "void no_longer_blocks() {", left_out, 0, "blocking for a moment", sc},
    {of_run_queue, "Machine::wake(asleep_);", left_out, 0, "arriving", sc},
    {of_sleep_queue, "Machine::fence_after_update();", left_out, 0, "sleeping", weak},
    {of_parking, "Machine::wake(ended_);", left_out, 0, "closing", sc},
    {of_parking, "Machine::fence_everywhere();", left_out, 0, "monitoring what is done inside", tso},
    {of_parking, "if (asleep_.exchange(", left_out, 0, "monitoring what is done outside", sc},
    {of_parking, "if (asleep_.exchange(", fault::kind::wakes_one, 0, "relieving", sc},
    // A claimant, and the body that runs.
    {of_run_queue, "if (Machine::fence_everywhere() && is_granted", left_out, 0, "stealing from one that takes", tso},
    {of_run_queue, "void ask_for_claim() { claimed_.store(1,", left_out, 0, "stealing from one that takes", sc},
    {of_run_queue, "void unclaim() {", left_out, 0, "stealing from one that takes", sc},
    {of_run_queue, "return current()->held.load(", reads, 0, "stealing from one that takes", sc},
    {of_run_queue, "std::uint32_t switches() const {", reads, 1, "leaving", sc},
    {of_runnable, "held.store(before + 1,", left_out, 0, "stealing from one that takes", sc},
    {of_runnable, "calling.store(calling.load(std::memory_order_relaxed) + 1,", left_out, 0, "calling", sc},
    {of_run_queue, "bool is_claimed() const {", reads, 0, "calling", sc},
    {of_run_queue, "bool is_claimed() const {", reads, 0, "stealing from one that takes", sc},
    // Bodies that go elsewhere.
    {of_run_queue, "for_each_of(arrived_.exchange(closed(),", reads, 0, "closing", sc},
    {of_run_queue, "send_all_but([this](runnable& b) { return b.seat.load(", reads, offsetof(returning_stolen, thief),
     "returning stolen", sc},
    {of_run_queue, "runnable* latest = arrived_.load(", reads, 0, "handing off", sc, 1},  // in forward_arrived()
    // The lists of those that sleep.
    {of_sleep_queue, "bool has_sleepers() const {", reads, 0, "sleeping", sc},
    {of_sleep_queue, "first_.store(behind,", left_out, 0, "sleeping", sc},
    {of_sleep_queue, "if (behind == nullptr) last_.store(before,", left_out, 0, "sleeping in order", sc},
    {of_sleep_queue, "latest_gone->next.store(b,", left_out, 0, "sleeping in order", sc},
    {of_run_queue, "basic_run_queue* const seat = b.seat.load(", reads, offsetof(sleeping_away, stand_in), "sleeping away", sc,
     1},  // in alone_runs(),
    {of_sleep_queue, "while (taken_.exchange(", reads, 0, "waking twice", sc},
    {of_sleep_queue, "const bool sleeps = on.load(", reads, 0, "sleeping", sc},
    {of_sleep_queue, "before->next.store(behind,", left_out, 0, "sleeping in order", sc},
    // Event counts.
    {of_event_counts, "waiters_.fetch_add(", left_out, 0, "counting", sc},
    {of_event_counts, "Machine::fence_after_update();", left_out, 0, "counting", weak, 0},  // in announce()
    {of_event_counts, "Machine::fence_after_update();", left_out, 0, "counting", weak, 1},  // in happens()
    {of_event_counts, "events_.fetch_add(", left_out, 0, "counting", sc},
    {of_event_counts, "bool has_waiters() const {", reads, 0, "counting", sc},
    {of_event_counts, "void retire() {", left_out, 0, "counting", sc},
    {of_event_counts, "Machine::full_fence();", left_out, 0, "counting until a limit", weak},  // in has_missed()
    {of_event_counts, "return events_.load(std::memory_order_relaxed) - seen", reads, 0, "counting until a limit", sc},
    {of_sleep_queue, "static const word* awaits(", reads, offsetof(sleeping_in_order, changed), "sleeping in order", sc},
};
#pragma GCC diagnostic pop

TEST(RunQueueMutants, EachIsFound) { expect_found(mutants, programs); }

}  // namespace
