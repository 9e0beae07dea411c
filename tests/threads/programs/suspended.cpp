// For a debugger: three members, of which one runs, one is ready, and one sleeps. It stops in all_are_there().
#include <weir/crowd.hpp>

#include <atomic>
#include <csignal>

#include <weir/machine/gate.hpp>

#include "threads/scheduling/processor.hpp"

namespace {
std::atomic<int> there{0};
weir::gate gate;
std::atomic<bool> opened{false};
}  // namespace

// A thread that a debugger stops looks blocked to the monitor, which would hand off the member that is ready.
[[gnu::noinline]] bool all_are_there() {
  const weir::threads::without_preemption until_the_debugger_has_looked;
  if (!weir::threads::this_body->where()->has_ready()) return false;
  std::raise(SIGTRAP);
  opened = true;
  gate.open();
  return true;
}
[[gnu::noinline]] void member_that_runs() {
  for (++there; there < 3;) weir::this_member::yield();
  do weir::this_member::yield();
  while (!all_are_there());
}
[[gnu::noinline]] void member_that_yields() {
  for (++there; !opened;) weir::this_member::yield();
}
[[gnu::noinline]] void member_that_sleeps() {
  ++there;
  while (!opened) gate.sleep_unless([] { return opened.load(); });
}

int main() {
  weir::crowd c(3, [](unsigned m) {
    if (m == 0) member_that_runs();
    if (m == 1) member_that_yields();
    if (m == 2) member_that_sleeps();
    asm volatile("");  // the calls return here
  }, {.processors = 1});
}
