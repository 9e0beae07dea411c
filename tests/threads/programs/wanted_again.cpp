// Threads that do nothing but poll cannot make the virtual processors on which they would be members: the maker does. If the
// system has refused that, they are wanted again. Prints "ok".
//
// The linker puts a function in front of want_helpers_for_all(), which leaves out the first call.
#include <atomic>
#include <cstdio>
#include <latch>
#include <thread>
#include <vector>

#include "threads/program/program_thread.hpp"
#include "threads/scheduling/body.hpp"
#include "threads/threads.hpp"

using namespace weir::threads;

extern "C" void poll_until(const std::atomic<unsigned>* one, unsigned value, const std::atomic<unsigned>* other,
                           unsigned others);  // polls.c

namespace {

constexpr unsigned processors = 2, threads = 4;
std::atomic<unsigned> members{0}, turn{0}, calls{0};
std::latch all_are_there{threads};  // a thread that begins later makes the processors

/// In turn, until all have been members: for ever otherwise.
void poll(program_thread* thread, unsigned me) {
  const life_of_thread of_program(*thread);
  all_are_there.arrive_and_wait();
  bool is_counted = false;
  while (members != threads) {
    poll_until(&turn, me, &members, threads);
    if (!is_counted && this_body != nullptr) is_counted = true, ++members;
    turn = (me + 1) % threads;
  }
}

}  // namespace

// Of weir::threads::want_helpers_for_all().
#define NAME "_ZN4weir7threads20want_helpers_for_allEv"
extern "C" void want_helpers_really() asm("__real_" NAME);
extern "C" void want_helpers_but_once() asm("__wrap_" NAME);
void want_helpers_but_once() {
  if (calls.fetch_add(1) != 0) want_helpers_really();
}

int main() {
  make_all_members(processors, false, seats_for::some_that_poll);
  std::vector<std::thread> started;
  for (unsigned me = 0; me < threads; ++me) {
    expect_another();
    started.emplace_back(poll, expect_thread({}), me);
  }
  for (std::thread& each : started) each.join();
  std::puts("ok");
}
