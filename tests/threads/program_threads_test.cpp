// Threads of the program without the functions of the C library that create them.
#include "threads/program/program_thread.hpp"

#include <atomic>
#include <functional>
#include <latch>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "threads/program/attach_requests.hpp"
#include "threads/program/census.hpp"
#include "threads/threads.hpp"
#include "weir/crowd.hpp"

namespace {

using namespace weir::threads;

/// More than there are processors, and so many of them poll that all may be members.
void threads_poll(unsigned processors, bool adapts) {
  make_all_members(processors, adapts, seats_for::some_that_poll);
  std::vector<program_thread*> others(processors + 1);
  for (program_thread*& each : others) ASSERT_NE(each = expect_thread({}), nullptr);
  expect_another();
  while (!program_threads_are_members()) note_running_thread(true);
  for (program_thread* const each : others) forget_thread(*each);
}

// The monitor looks from the beginning on for those that poll.
TEST(ProgramThreads, LeaveProcessorsToOtherProgramsOnlyIfTheyAdapt) {
  threads_poll(2, false);
  EXPECT_FALSE(are_monitored());
  threads_poll(2, true);
  EXPECT_TRUE(are_monitored());
}

/// How many members of a team have their seats on each processor.
struct seats_seen {
  explicit seats_seen(unsigned members) : team(members) {}

  const unsigned team;
  std::mutex mutex;
  std::map<const processor*, unsigned> by;
  std::atomic<unsigned> seated{0};

  /// The calling thread takes its seat, and waits until all have one.
  void add_mine() {
    EXPECT_TRUE(attach_to_wait());
    {
      const std::lock_guard lock(mutex);
      ++by[own_body_of_thread()->home()];
    }
    for (++seated; seated < team;) weir::this_member::yield();
  }
};

/// The calling thread is one of them, and has a seat before the others.
void team_takes_seats(seats_seen& seen, const std::function<void()>& then = [] {}) {
  std::vector<std::thread> others;
  std::latch all_live(1);
  for (unsigned i = 1; i < seen.team; ++i) {
    expect_another();
    others.emplace_back([&, expected = expect_thread({})] {
      const life_of_thread lives(*expected);
      all_live.wait();
      seen.add_mine();
    });
  }
  EXPECT_TRUE(attach_to_wait());
  then();
  EXPECT_TRUE(attach_to_wait());
  all_live.count_down();
  seen.add_mine();
  detach_to_block();
  for (std::thread& each : others) each.join();
}

// In turn, every second team would have five members on one processor: the first thread's is the same for all.
TEST(ProgramThreads, EachTeamHasAsManyOnEveryProcessor) {
  make_all_members(2, false, seats_for::all_that_wait);
  for (unsigned team = 0; team < 4; ++team) {
    seats_seen seen(8);
    team_takes_seats(seen);
    ASSERT_EQ(seen.by.size(), 2u);
    for (const auto& [processor, members] : seen.by) EXPECT_EQ(members, 4u) << "team " << team;
  }
}

// A crowded virtual processor gives a thread that waits there the seat of an idle one.
TEST(ProgramThreads, WhoHasMovedCountsWhereItIs) {
  make_all_members(2, false, seats_for::all_that_wait);
  for (unsigned team = 0; team < 4; ++team) {
    seats_seen seen(8);
    team_takes_seats(seen, [team] { own_body_of_thread()->seat.store(helper(team % 2), std::memory_order_relaxed); });
    for (const auto& [processor, members] : seen.by) EXPECT_EQ(members, 4u) << "team " << team;
  }
}

}  // namespace
