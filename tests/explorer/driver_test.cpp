// Virtual processors that drive bodies, in every interleaving: bodies yield, sleep, leave, come back, and get signals; ticks
// interrupt them wherever they are not held; processors steal, hand their bodies off, begin, and end. No body runs twice or
// before it has stopped, none is lost, and each signal comes to its body. Scenarios with too many states run with a bounded
// number of preemptions. Each mutant leaves one operation out, and is found in every run.
#include <gtest/gtest.h>

#include <cctype>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "threads/driven_scenarios.hpp"
#include "threads/mutants.hpp"

namespace {

using namespace explored_threads;

void expect_to_hold(const named& each, settings how) {
  const verdict v = explore(each.program, how);
  EXPECT_TRUE(v.holds && v.complete) << each.name << '\n' << v.timeline;
}

class Driver : public testing::TestWithParam<memory_model> {};
TEST_P(Driver, HoldsInEachSmallScenario) {
  for (const named& each : small_driven_scenarios()) expect_to_hold(each, {.memory = GetParam()});
}
TEST_P(Driver, HoldsInRandomSchedulesOfLargerOnes) {
  const bool is_weak = GetParam() == weak;
  for (const named& each : all_driven_scenarios()) {
    try {
      const verdict v = explore_at_random(each.program, {.memory = GetParam(), .schedules = is_weak ? 500u : 2000u});
      EXPECT_TRUE(v.holds) << each.name << '\n' << v.timeline;
    } catch (const std::invalid_argument&) {
      EXPECT_TRUE(is_weak) << each.name;  // for which the explorer takes fewer words
    }
  }
}
INSTANTIATE_TEST_SUITE_P(In, Driver, testing::Values(sc, tso, weak), [](const auto& of) { return name_of(of.param); });

std::string in_one_word(std::string name) {
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
}

TEST(DriverInEverySchedule, HoldsInEachScenario) {
  for (const named& each : driven_scenarios()) expect_to_hold(each, {});
}
class DriverInEachSchedule : public testing::TestWithParam<named> {};
TEST_P(DriverInEachSchedule, Holds) { expect_to_hold(GetParam(), {}); }
INSTANTIATE_TEST_SUITE_P(Of, DriverInEachSchedule, testing::ValuesIn(larger_driven_scenarios()),
                         [](const auto& of) { return in_one_word(of.param.name); });
INSTANTIATE_TEST_SUITE_P(Thorough, DriverInEachSchedule, testing::ValuesIn(thorough_driven_scenarios()),
                         [](const auto& of) { return in_one_word(of.param.name); });

class DriverWithFewPreemptions : public testing::TestWithParam<bounded> {};
TEST_P(DriverWithFewPreemptions, Holds) {
  expect_to_hold(GetParam().scenario, {.most_preemptions = GetParam().most_preemptions});
}
INSTANTIATE_TEST_SUITE_P(Of, DriverWithFewPreemptions, testing::ValuesIn(largest_driven_scenarios()),
                         [](const auto& of) { return in_one_word(of.param.scenario.name); });

constexpr const char *of_driver = "threads/scheduling/driver.hpp", *of_summons = "threads/scheduling/summons.hpp",
                     *of_sender = "threads/signals/sender.hpp",
                     *of_run_queue = "threads/scheduling/run_queue.hpp", *of_runnable = "threads/scheduling/runnable.hpp";

constexpr auto all_signals = driven_bodies::all_signals;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
const mutant mutants[] = {
    // The one that runs next makes ready what has left.
    {of_driver, "leaving_ = &me;", left_out, 0, "moving", sc},
    {of_driver, "leaving_ = nullptr;", left_out, 0, "moving between masks", sc},
    {of_driver, "unsettled_ = true;", left_out, 0, "moving", sc, 1},                      // in leave()
    {of_driver, "unsettled_ = true;", left_out, 0, "signalling one that yields", sc, 0},  // in switch_to()
    {of_driver, "sleeps_on_ = on;", left_out, 0, "sleeping at a stand-in", sc},
    {of_driver, "sleeps_on_ = awaited{};", left_out, 0, "sleeping and yielding at a stand-in", sc},
    {of_driver, "if (!on || !Bodies::falls_asleep(", left_out, 0, "moving", sc},  // make_ready()
    // A body that waits.
    {of_driver, "this->append(me);", left_out, 0, "signalling one that yields", sc},
    {of_driver, "this->runs(next);", left_out, 0, "yielding", sc},
    {of_driver, "if (me.is_summoned()) [[unlikely]] me.take_signals();", left_out, 0, "asking to detach one alone", sc},
    {of_driver, "me.arrive_detached();", left_out, 0, "signalling one that detaches", sc},
    {of_driver, "b.release();", left_out, 0, "attaching", sc},
    // Stand-ins.
    {of_driver, "this->reclaim();", left_out, 0, "yielding on a processor that is stood in for", sc},  // in returns_elsewhere()
    {of_driver, "this->return_bodies();", left_out, 0, "yielding at a stand-in that is reclaimed", sc, 0},
    {of_driver, "this->return_bodies();", left_out, 0, "sleeping at a stand-in that is reclaimed", sc, 1},
    {of_driver, "if (this->is_stood_in_for()) this->reclaim();", left_out, 0, "leaving a processor that is stood in for", sc, 0},
    {of_driver, "if (this->is_stood_in_for()) this->reclaim();", left_out, 0, "ending while it is stood in for", sc, 1},
    // The thread begins to drive, and ends.
    {of_driver, "this->open();", left_out, 0, "driving again", sc},
    {of_driver, "is_driven_ = true;", left_out, 0, "driving again", sc},
    {of_driver, "own_.release();", left_out, 0, "driving again", sc, 0},
    {of_driver, "own_.hold();", left_out, 0, "driving again", sc, 0},
    {of_driver, "own_.may_move.store(", left_out, 0, "ending", sc},
    {of_driver, "bool is_at_home() const", reads, offsetof(driving, processors), "ending", sc},
    {of_driver, "bool is_at_home() const", reads, offsetof(driving, processors), "idle without its own body", sc},
    {of_driver, "this->return_stolen();", left_out, 0, "ending with stolen bodies", sc},
    {of_driver, "is_driven_ = false;", left_out, 0, "driving again", sc},
    {of_driver, "own_.hold();", left_out, 0, "helping while it is claimed", sc, 1},  // in drive_others()
    {of_driver, "own_.release();", left_out, 0, "helping while it is claimed", sc, 1},
    // Signals that are blocked.
    {of_driver, "mask_ = signals;", left_out, 0, "signalling from outside", sc},
    {of_driver, "Bodies::block(signals);", left_out, 0, "signalling from outside", sc},
    {of_driver, "if (next.mask_or_summons() != mask_ ||", reads, 0, "signalling from outside", sc},
    {of_driver, "block(me.mask());", reads, all_signals, "signalling from outside", sc},
    {of_driver, "void has_mask(", left_out, 0, "signalling from outside while one blocks signals", sc},
    {of_driver, "idle_.mask_of_context(is_at_home()", left_out, 0, "idle without its own body", sc},
    {of_driver, "idle_.mask_of_context(mask_);", left_out, 0, "helping beside signals", sc},
    {of_summons, "void mask_of_context(", left_out, 0, "idle without its own body", sc},
    // A body that stops, or may be stopped.
    {of_runnable, "held.store(before + 1,", left_out, 0, "ticking", sc},
    {of_driver, "b.held.store(1,", left_out, 0, "claiming while it attaches", sc},
    {of_run_queue, "switches_.store(switches_.load(", left_out, 0, "claiming while it leaves", sc},
    // Signals for one body.
    {of_driver, "if (summoned) me.take_signals();", left_out, 0, "asking to detach", sc},
    {of_summons, "mask_.fetch_and(~summons, std::memory_order_relaxed);  //", left_out, 0, "asking to detach one alone", sc},
    {of_summons, "if ((pending_.fetch_and(kept", left_out, 0, "asking to detach one alone", sc},
    {of_summons, "pending_.fetch_and(~detach_request", left_out, 0, "asking to detach one alone", sc},
    {of_summons, "if ((pending_.fetch_and(~short_detach_request", left_out, 0, "asking to detach for a while", sc},
    {of_summons, "if (pending_.load(std::memory_order_relaxed) != 0) mask_.fetch_or(", left_out, 0, "summoned while it unblocks",
     sc},
    {of_summons, "pending_.fetch_or(", left_out, 0, "summoned where it goes on", sc},
    {of_summons, "mask_.fetch_or(summons, std::memory_order_relaxed);  //", left_out, 0, "summoned where it goes on", sc},
    {of_summons, "while (!mask_.compare_exchange_strong(", fault::kind::does_not_compare, 0, "summoned while it unblocks", sc},
    {of_summons, "while (!mask_.compare_exchange_strong(", fault::kind::does_not_compare, 0, "asking to detach", sc},
    {of_sender, "machine::fence_everywhere();  // as in", left_out, 0, "summoned where it goes on", tso},
    {of_sender, "static void await_arrival() {", left_out, 0, "signalling one that yields", sc},
    {of_sender, "machine::fence_everywhere();", left_out, 0, "summoned while it begins to drive", tso, 1},  // in send_to_idle()
};
#pragma GCC diagnostic pop

const needless reasons[] = {
    {of_driver, "unsettled_ = false;", "settle() would look once more, in vain"},
};

TEST(DriverMutants, EachIsFound) { expect_found(mutants, all_driven_scenarios()); }
TEST(DriverMutants, EachChangeHasOneOrAReason) {
  const char* const files[] = {of_driver, of_summons, of_sender};
  expect_covered(files, mutants, reasons, all_driven_scenarios());
}

}  // namespace
