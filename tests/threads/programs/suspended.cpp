// For a debugger: three members, of which one runs, one is ready, and one sleeps. It stops in all_are_there().
#include <weir/crowd.hpp>

#include <atomic>
#include <csignal>

#include <weir/machine/gate.hpp>

namespace {
std::atomic<int> there{0};
weir::gate gate;
std::atomic<bool> opened{false};
}  // namespace

[[gnu::noinline]] void all_are_there() {
  std::raise(SIGTRAP);
  opened = true;
  gate.open();
}
[[gnu::noinline]] void member_that_runs() {
  for (++there; there < 3;) weir::this_member::yield();
  weir::this_member::yield();
  all_are_there();
  asm volatile("");  // the call returns here
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
