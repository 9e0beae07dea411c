// Virtual processors that drive bodies, in every interleaving: bodies yield, sleep, leave, come back, and get signals; ticks interrupt
// them wherever they are not held; processors steal, hand their bodies off, and end. No body runs twice or before it has stopped, none is
// lost, and each signal comes to its body. Scenarios with more states run in random schedules. Each mutant breaks one operation, and is
// found in every run.
#include <gtest/gtest.h>

#include <stdexcept>

#include "threads/driving_scenarios.hpp"
#include "threads/mutants.hpp"

namespace {

using namespace explored_threads;

void expect_to_hold(const std::vector<named>& all, memory_model memory) {
  for (const named& each : all) {
    const verdict its = explore(each.its, {.memory = memory});
    EXPECT_TRUE(its.holds && its.complete) << each.name << '\n' << its.timeline;
  }
}

class Driver : public testing::TestWithParam<memory_model> {};
TEST_P(Driver, HoldsInEachSmallScenario) { expect_to_hold(small_driven_scenarios(), GetParam()); }
TEST_P(Driver, HoldsInRandomSchedulesOfLargerOnes) {
  const bool is_weak = GetParam() == weak;
  for (const std::vector<named>& all : {driven_scenarios(), larger_driven_scenarios()})
    for (const named& each : all) {
      try {
        const verdict its = explore_at_random(each.its, {.memory = GetParam(), .schedules = is_weak ? 500u : 2000u});
        EXPECT_TRUE(its.holds) << each.name << '\n' << its.timeline;
      } catch (const std::invalid_argument&) {
        EXPECT_TRUE(is_weak) << each.name;  // for which the explorer takes fewer words
      }
    }
}
INSTANTIATE_TEST_SUITE_P(In, Driver, testing::Values(sc, tso, weak), [](const auto& of) { return name_of(of.param); });

TEST(DriverInEachSchedule, HoldsInEachScenario) { expect_to_hold(driven_scenarios(), sc); }

constexpr const char *of_driver = "threads/scheduling/driver.hpp", *of_summons = "threads/scheduling/summons.hpp",
                     *of_sender = "threads/signals/sender.hpp",
                     *of_run_queue = "threads/scheduling/run_queue.hpp", *of_runnable = "threads/scheduling/runnable.hpp";

const mutant mutants[] = {
    // Whoever runs next makes ready what has left.
    {of_driver, "leaving_ = &me;", left_out, 0, "moving", sc},
    {of_driver, "leaving_ = nullptr;", left_out, 0, "moving between masks", sc},
    {of_driver, "unsettled_ = true;", left_out, 0, "moving", sc, 1},  // in leave()
    {of_driver, "unsettled_ = true;", left_out, 0, "signalling one that yields", sc, 0},  // in switch_to()
    {of_driver, "sleeps_on_ = on;", left_out, 0, "sleeping at a stand-in", sc},
    {of_driver, "sleeps_on_ = awaited{};", left_out, 0, "sleeping and yielding at a stand-in", sc},
    // A body that stops, or may be stopped.
    {of_runnable, "held.store(before + 1,", left_out, 0, "ticking", sc},
    {of_driver, "b.held.store(1,", left_out, 0, "claiming while it attaches", sc},
    {of_run_queue, "switches_.store(switches_.load(", left_out, 0, "claiming while it leaves", sc},
    // Signals.
    {of_summons, "pending_.fetch_or(", left_out, 0, "summoned where it goes on", sc},
    {of_summons, "mask_.fetch_or(summons, std::memory_order_relaxed);  //", left_out, 0, "summoned where it goes on", sc},
    {of_summons, "while (!mask_.compare_exchange_strong(", fault::kind::does_not_compare, 0, "summoned while it unblocks", sc},
    {of_summons, "while (!mask_.compare_exchange_strong(", fault::kind::does_not_compare, 0, "calling home", sc},
    {of_sender, "machine::fence_everywhere();  // as in", left_out, 0, "summoned where it goes on", tso},
    {of_sender, "static void await_arrival() {", left_out, 0, "signalling one that yields", sc},
    {of_sender, "machine::fence_everywhere();", left_out, 0, "summoned while it begins to drive", tso, 1},  // in send_to_idle()
};

TEST(DriverMutants, EachIsFound) {
  std::vector<named> all = small_driven_scenarios();
  for (const auto& each : driven_scenarios()) all.push_back(each);
  for (const auto& each : larger_driven_scenarios()) all.push_back(each);
  expect_found(mutants, all);
}

}  // namespace
