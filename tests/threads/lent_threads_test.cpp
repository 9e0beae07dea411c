// A thread in a region lends its kernel thread to its own team alone. So it leaves the region whatever members of other teams do.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

#include <unistd.h>

#include <weir/machine/native.hpp>

#include "members.hpp"
#include "threads/scheduling/body.hpp"
#include "threads/scheduling/kept_threads.hpp"
#include "threads/scheduling/pool.hpp"
#include "threads/threads.hpp"

namespace {

using namespace weir::threads;

void computes_for_a_while() {
  volatile double sum = 0;
  for (int i = 1; i < 200'000; ++i) sum = sum + 1.0 / i;
}

/// How often a member yields where it might come to a thread in a region: to a thief it would long have come.
constexpr int many = 60;

/// A thread is in a region, and has nothing to do there, while the members of a crowd have one processor for two. A member then
/// calls `what`, and the thread, once that has begun, leaves its region and calls `then`.
template <class What, class Then>
void beside_a_region(What what, Then then) {
  std::atomic<long> in_region{0};
  std::atomic<bool> begins{false};
  std::thread leaves([&] {
    {
      const driving region;
      in_region = kernel_thread();
      while (!begins) weir::this_member::yield();
    }
    then();
  });
  weir::crowd c(2, [&](unsigned m) {
    if (m == 0) {
      while (!begins) computes_for_a_while(), weir::this_member::yield();
      return;
    }
    while (in_region == 0) weir::this_member::yield();
    for (int i = 0; i < many && kernel_thread() != in_region; ++i) weir::this_member::yield();
    EXPECT_NE(kernel_thread(), in_region);
    begins = true;
    what();
  }, {.processors = 1});
  c.join();
  leaves.join();
}

TEST(Lent, AMemberThatIsGoingToBlockGoesToItsOwnKernelThreadUntilItWaits) {
  beside_a_region(
      [] {
        const processor* const seat = own_body_of_thread()->home();
        block_in_own_thread();
        EXPECT_FALSE(is_on_processor());
        EXPECT_EQ(kernel_thread(), own_body_of_thread()->id);
        EXPECT_EQ(own_body_of_thread()->home(), seat);
        weir::this_member::yield();
        EXPECT_TRUE(is_on_processor());
      },
      [] {});
}

TEST(Lent, AThreadLeavesItsRegionWhereAMemberBlocksUntilItHasLeft) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  beside_a_region(
      [&] {
        char got = 0;
        EXPECT_EQ(::syscall(SYS_read, ends[0], &got, 1), 1);
      },
      [&] { EXPECT_EQ(write(ends[1], "w", 1), 1); });
  close(ends[0]);
  close(ends[1]);
}

TEST(Lent, AThreadLeavesItsRegionWhereAMemberComputesUntilItHasLeft) {
  std::atomic<bool> has_left{false};
  beside_a_region(
      [&] {
        while (!has_left) computes_for_a_while();
      },
      [&] { has_left = true; });
}

// Each would wait on the kernel thread of the thread that the other waits for.
TEST(Lent, TwoMembersWaitForTheEndsOfTwoThreadsInRegions) {
  std::atomic<int> there{0};
  std::thread threads[2];
  std::atomic<long> in_region[2] = {0, 0};
  for (int i = 0; i < 2; ++i)
    threads[i] = std::thread([&, i] {
      const driving region;
      in_region[i] = kernel_thread();
      while (there != 2) weir::this_member::yield();
    });
  weir::crowd c(3, [&](unsigned m) {
    if (m == 0) {
      while (there != 2) computes_for_a_while(), weir::this_member::yield();
      return;
    }
    const std::atomic<long>& of_other = in_region[m - 1];
    while (of_other == 0) weir::this_member::yield();
    for (int i = 0; i < many && kernel_thread() != of_other; ++i) weir::this_member::yield();
    EXPECT_NE(kernel_thread(), of_other);
    ++there;
    while (there != 2) computes_for_a_while();  // and stays there
    threads[2 - m].join();
  }, {.processors = 1});
  c.join();
}

// The members of one of them alone come to the kernel thread of the thread that joins.
TEST(Lent, AThreadJoinsOneOfItsCrowdsWhileMembersOfTheOtherBlock) {
  for (const bool is_first : {true, false}) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const auto read_and_end = [&](unsigned) {
      char got = 0;
      EXPECT_EQ(::syscall(SYS_read, ends[0], &got, 1), 1);
    };
    const auto ends_soon = [](unsigned) { yields(100); };
    constexpr weir::crowd::options on_one{.processors = 1};
    weir::crowd first(2, is_first ? std::function<void(unsigned)>(read_and_end) : ends_soon, on_one);
    weir::crowd second(2, is_first ? std::function<void(unsigned)>(ends_soon) : read_and_end, on_one);
    (is_first ? second : first).join();
    EXPECT_EQ(write(ends[1], "ww", 2), 2);
    (is_first ? first : second).join();
    close(ends[0]);
    close(ends[1]);
  }
}

// Those that poll for one of them yield to the kernel again and again (lost_slices.hpp).
TEST(Kept, ThreadsThatStayInTheKernelForGoodAreKnownUntilTheyEnd) {
  EXPECT_EQ(threads_kept_in_kernel.processor_time(), 0u);
  const auto has_time = [](auto stays) {
    const std::uint64_t before = threads_kept_in_kernel.processor_time();
    stays();
    computes_for_a_while();
    return threads_kept_in_kernel.processor_time() > before;
  };
  constexpr unsigned more = 20;  // than are asked one by one
  for (const unsigned members : {1u, more}) {
    std::atomic<unsigned> pinned{0}, done{0};
    weir::crowd c(members, [&](unsigned) {
      if (members == 1) {
        EXPECT_FALSE(has_time(pin_for_a_while));
      }
      pin();
      ++pinned;
      while (pinned != members) std::this_thread::yield();
      EXPECT_TRUE(has_time([] {}));
      ++done;
      while (done != members) std::this_thread::yield();
    }, {.processors = 2});
    c.join();
    EXPECT_TRUE(eventually([] { return threads_kept_in_kernel.processor_time() == 0; }));
  }
}

}  // namespace
