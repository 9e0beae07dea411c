// A thread that holds a lock of Weir's, because an allocator waits that is not known as one, becomes no member: the lock would be
// held by who does not run. Two threads that hold none become members meanwhile. Prints "ok".
#include <atomic>
#include <cstdio>
#include <latch>
#include <thread>
#include <vector>

#include "system/kernel_mutex.hpp"
#include "threads/program/program_thread.hpp"
#include "threads/scheduling/body.hpp"
#include "threads/threads.hpp"

using namespace weir::threads;

extern "C" void poll_until(const std::atomic<unsigned>* one, unsigned value, const std::atomic<unsigned>* other,
                           unsigned others);  // polls.c

namespace {

constexpr unsigned processors = 2, threads = 4;
std::atomic<unsigned> members{0}, turn{0}, wrong{0};
std::latch all_are_there{threads};

/// In turn with another one, until so many have been members.
void poll_until_member(unsigned me, unsigned enough) {
  bool is_counted = false;
  while (members < enough) {
    poll_until(&turn, me, &members, enough);
    if (!is_counted && this_body != nullptr) is_counted = true, ++members;
    turn = me ^ 1;
  }
}

void run(program_thread* thread, unsigned me) {
  const life_of_thread of_program(*thread);
  all_are_there.arrive_and_wait();
  if (me < 2) return poll_until_member(me, 2);
  {
    weir::kernel_mutex own;
    own.lock();
    const std::atomic<unsigned> never{0};
    poll_until(&never, 1, &members, 2);
    if (this_body != nullptr || attach_to_wait() || this_body != nullptr) ++wrong;
    own.unlock();
  }
}

}  // namespace

int main() {
  make_all_members(processors, false, seats_for::some_that_poll);
  std::vector<std::thread> started;
  for (unsigned me = 0; me < threads; ++me) {
    expect_another();
    started.emplace_back(run, expect_thread({}), me);
  }
  for (std::thread& each : started) each.join();
  std::puts(wrong == 0 ? "ok" : "a thread has become a member that holds a lock");
}
