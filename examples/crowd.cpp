/* More threads than processors that wait for each other: g++ -std=c++20 crowd.cpp -lweir
 *
 * Producers put numbers into a queue with room for four, and consumers add them up. A member that waits gives its virtual
 * processor to another member, in 20 to 35 ns: at the semaphores, at the mutex, and at the barrier at which all members begin. */
#include <cstdio>
#include <deque>
#include <mutex>
#include <vector>

#include <weir/crowd.hpp>
#include <weir/locks.hpp>
#include <weir/team_barrier.hpp>

int main() {
  constexpr unsigned pairs = 50, members = 2 * pairs, each = 100;
  weir::semaphore room(4), items(0);
  weir::mutex mutex;
  std::deque<unsigned> queue;
  unsigned taken = 0;
  unsigned long sum = 0;
  weir::team_barrier<> all_begun(members);

  weir::crowd c(members, [&](unsigned member) {
    all_begun.arrive_and_wait(member);
    for (unsigned i = 0; i < each; ++i) {  // the first half produces
      if (member < pairs) {
        room.acquire();
        const std::lock_guard lock(mutex);
        queue.push_back(member);
        items.release();
      } else {
        items.acquire();
        const std::lock_guard lock(mutex);
        sum += queue.front();
        ++taken;
        queue.pop_front();
        room.release();
      }
    }
  });
  c.join();
  std::printf("%u numbers, sum %lu\n", taken, sum);
}
