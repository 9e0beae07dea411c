// Budgets: what operations of virtual processors may move, update and ask of the system, by the number of processors, with four
// members for each. A count far below its budget fails, too: then the budget is to be lowered.
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "simulator/model.hpp"
#include "simulator/threads/virtual_processors.hpp"
#include "budgets.hpp"

namespace weir::simulator::threads {
namespace {

/// For one operation.
struct budget {
  operation what;
  const char* name;
  unsigned processors;
  double lines, one_line, updates, calls, woken, fences, interrupted;
};
std::ostream& operator<<(std::ostream& out, const budget& b) { return out << b.name << ", " << b.processors << " processors"; }

constexpr budget budgets[] = {
    // A switch moves nothing, and has no atomic update.
    {operation::yield, "yield", 8, 0, 0, 0, 0, 0, 0, 0},
    {operation::yield, "yield", 32, 0, 0, 0, 0, 0, 0, 0},
    {operation::yield, "yield", 128, 0, 0, 0, 0, 0, 0, 0},
    // The body's two lines, and that of those who arrive.
    {operation::push, "push", 8, 8.2, 0.6, 2.1, 0, 0, 0, 0},
    {operation::push, "push", 32, 8.2, 0.2, 2.1, 0, 0, 0, 0},
    {operation::push, "push", 128, 7, 0.5, 2.2, 0.1, 0.1, 0, 0},
    // A push wakes one. It then looks for bodies of others, twice at 16 or at 24, before it sleeps again: with 128, two looks at
    // all
    // were 387 lines.
    {operation::push_to_sleeper, "push_to_sleeper", 8, 28, 2.1, 4.1, 2, 1, 0, 0},
    {operation::push_to_sleeper, "push_to_sleeper", 32, 102, 2.1, 6.2, 2, 1, 0, 0},
    {operation::push_to_sleeper, "push_to_sleeper", 128, 130, 2.1, 6.2, 2, 1, 0, 0},
    // Its word, the list of sleepers, its line, and that of those who arrive; and the lines of those before it in the list.
    {operation::sleep_and_wake, "sleep_and_wake", 8, 4.1, 0.3, 2.1, 0, 0, 0, 0},
    {operation::sleep_and_wake, "sleep_and_wake", 32, 9, 0.3, 3.7, 0, 0, 0, 0},
    {operation::sleep_and_wake, "sleep_and_wake", 128, 9.5, 0.4, 4.4, 0.1, 0.1, 0, 0},
    // A look takes a line of each at which it looks, and its owner takes it back.
    {operation::look, "look", 8, 14.5, 2.1, 1, 0, 0, 0, 0},
    {operation::look, "look", 32, 32, 2.1, 1, 0, 0, 0, 0},
    {operation::look, "look", 128, 32.5, 2.1, 1, 0, 0, 0, 0},
    // Half of the processors steal from the others: most lines and updates are of looks that find nothing, and of their lock. A
    // claim
    // interrupts all processors.
    {operation::steal, "steal", 8, 26, 3.5, 9.5, 2.1, 0, 2.1, 14.5},
    {operation::steal, "steal", 32, 72, 13, 16, 2.1, 0, 2.1, 65},
    {operation::steal, "steal", 128, 42, 14, 16.5, 1.6, 0, 1.6, 200},
};

class Budgets : public testing::TestWithParam<budget> {};
TEST_P(Budgets, AreKept) {
  const budget& b = GetParam();
  const counts found = measure(read_machine(WEIR_MACHINES "/manycore-1024.toml"), b.what, b.processors, 4 * b.processors);
  ASSERT_GT(found.done, 0u);
  expect_near(found.lines, b.lines, "lines");
  expect_near(found.one_line, b.one_line, "transfers of one line");
  expect_near(found.updates, b.updates, "updates");
  expect_near(found.calls, b.calls, "system calls");
  expect_near(found.woken, b.woken, "threads woken");
  expect_near(found.fences, b.fences, "fences everywhere");
  expect_near(found.interrupted, b.interrupted, "processors interrupted");
}
INSTANTIATE_TEST_SUITE_P(Of, Budgets, testing::ValuesIn(budgets), [](const auto& of) {
  return std::string(of.param.name) + "_" + std::to_string(of.param.processors);
});

}  // namespace
}  // namespace weir::simulator::threads
