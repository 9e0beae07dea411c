// Threads that drive a processor of their own, give it away while they block, and come back to it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include <unistd.h>

#include <weir/machine/native.hpp>
#include <weir/machine/processors.hpp>

#include "members.hpp"
#include "threads/scheduling/pool.hpp"
#include "threads/threads.hpp"

namespace {

using namespace weir::threads;

// A processor that was closed, or counted as driven, would be open to thieves, or lose its members.
TEST(Driving, AnInnerRegionLeavesAProcessorThatIsGivenAwayToItsStandIn) {
  std::thread([] {
    const driving outer;
    processor& processor_here = here();
    std::atomic<bool> stop{false};
    weir::crowd members(2, [&](unsigned) {
      while (!stop) weir::this_member::yield();
    }, {.processors = 1});
    pin_for_a_while();
    ASSERT_FALSE(is_on_processor());
    ASSERT_TRUE(processor_here.is_stood_in_for());
    for (int i = 0; i < 3; ++i) {
      {
        const driving inner;
        EXPECT_FALSE(is_on_processor());
      }
      close_own_processor();
      EXPECT_TRUE(processor_here.is_driven());
      EXPECT_FALSE(processor_here.is_closed());
      EXPECT_EQ(processor_here.own().held, 0u);
      EXPECT_TRUE(processor_here.is_stood_in_for());
    }
    stop = true;
    members.join();
  }).join();
}

// The kernel gives the number of a thread that has ended to another one, which would be taken for the driver of that processor.
TEST(Driving, AProcessorThatHasEndedHasNoThread) {
  {
    weir::crowd members(8, [](unsigned) {
      for (int i = 0; i < 100; ++i) weir::this_member::yield();
    }, {.processors = 3});
    members.join();
  }
  const auto none_is_left = [] {
    for (const processor* p = last_processor(); p != nullptr; p = p->made_before)
      if (p->is_closed() && p->thread != -1) return false;
    return true;
  };
  std::thread([] {
    const driving region;
    (void)here();
  }).join();
  EXPECT_NE(last_processor(), nullptr);
  EXPECT_TRUE(eventually(none_is_left));
}

/// A member of a processor blocks until the other has computed.
void blocks_until_the_other_has_run() {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  char got = 0;
  std::atomic<bool> blocks{false};
  weir::crowd c(2, [&](unsigned m) {
    const char byte = 'w';
    if (m == 0) {
      blocks = true;
      EXPECT_EQ(::syscall(SYS_read, ends[0], &got, 1), 1);
    } else {
      while (!blocks) weir::this_member::yield();
      EXPECT_EQ(write(ends[1], &byte, 1), 1);
    }
  }, {.processors = 1});
  c.join();
  EXPECT_EQ(got, 'w');
  close(ends[0]);
  close(ends[1]);
}

// The processors of threads that have ended are used again, among them those that have been stand-ins.
TEST(Driving, AProcessorThatHasStoodInHasStandInsWhenItIsUsedAgain) {
  for (int round = 0; round < 5; ++round) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(blocks_until_the_other_has_run);
    for (auto& t : threads) t.join();
  }
}

// Two seats on one processor would wait for each other by polling.
TEST(Driving, ACrowdOfAMemberHasSeatsOnDifferentProcessors) {
  constexpr unsigned processors = 3;
  std::array<std::array<processor*, processors>, processors> seats{};
  weir::crowd outer(processors, [&seats](unsigned of) {
    // Not this_body: where a stand-in is late, a member goes on in its own kernel thread.
    weir::crowd inner(processors, [&seats_of_team = seats[of]](unsigned m) { seats_of_team[m] = own_body_of_thread()->home(); },
                      {.processors = processors});
    inner.join();
  }, {.processors = processors});
  outer.join();
  for (auto& members_seen : seats) {
    std::ranges::sort(members_seen);
    EXPECT_EQ(std::ranges::adjacent_find(members_seen), members_seen.end());
    EXPECT_NE(members_seen.front(), nullptr);
  }
}

// Barriers take a member to be on its seat: the last one of a seat to arrive would spin there, where those that it waits for may
// run.
TEST(Displaced, AMemberOutsideItsSeatUntilItReturnsThere) {
  std::thread([] {
    const driving all_the_time;
    weir::crowd c(2, [](unsigned m) {
      EXPECT_FALSE(weir::native::crowded());
      if (m == 1) return;
      processor& processor_here = seat();
      pin_for(1000);
      ASSERT_FALSE(is_on_processor());
      EXPECT_TRUE(weir::native::crowded());
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      go_to(&processor_here);
      EXPECT_TRUE(is_on_processor());
      EXPECT_FALSE(weir::native::crowded());
      go_to(nullptr);  // as a member of a team without seats
      EXPECT_FALSE(weir::native::crowded());
      go_to(&processor_here);
    }, {.processors = 2});
    c.join();
  }).join();
}

TEST(Displaced, AThreadThatHasGivenItsProcessorAwayUntilItsRegionEnds) {
  std::thread([] {
    {
      const driving region;
      pin_for_a_while();
      ASSERT_FALSE(is_on_processor());
      EXPECT_TRUE(weir::native::crowded());
    }
    EXPECT_FALSE(weir::native::crowded());
  }).join();
}

}  // namespace
