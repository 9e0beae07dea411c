// A thread in a region lends its kernel thread to members of other teams. It gets that back when the region ends, whatever they
// do there.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
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

/// A member calls `what` in the kernel thread of another thread, which then leaves its region, and calls `then`.
template <class What, class Then>
void in_a_lent_thread(What what, Then then) {
  std::atomic<long> lender{0};
  std::atomic<bool> is_there{false};
  std::thread lends([&] {
    {
      const driving region;
      lender = kernel_thread();
      while (!is_there) weir::this_member::yield();
    }
    then();
  });
  weir::crowd c(2, [&](unsigned m) {
    if (m == 0) {
      while (!is_there) computes_for_a_while(), weir::this_member::yield();
      return;
    }
    while (kernel_thread() != lender) weir::this_member::yield();
    EXPECT_TRUE(is_in_lent_thread());
    is_there = true;
    what();
  }, {.processors = 1});
  c.join();
  lends.join();
}

TEST(Lent, AMemberThatIsGoingToBlockGoesToItsOwnKernelThreadUntilItWaits) {
  in_a_lent_thread([] {
    const processor* const seat = own_body_of_thread()->home();
    block_in_own_thread();
    EXPECT_FALSE(is_in_lent_thread());
    EXPECT_FALSE(is_on_processor());
    EXPECT_EQ(kernel_thread(), own_body_of_thread()->id);
    EXPECT_EQ(own_body_of_thread()->home(), seat);
    weir::this_member::yield();
    EXPECT_TRUE(is_on_processor());
  }, [] {});
}

TEST(Lent, AThreadLeavesItsRegionWhereAMemberBlocksUntilItHasLeft) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  in_a_lent_thread([&] {
    char got = 0;
    EXPECT_EQ(::syscall(SYS_read, ends[0], &got, 1), 1);
  }, [&] { EXPECT_EQ(write(ends[1], "w", 1), 1); });
  close(ends[0]);
  close(ends[1]);
}

TEST(Lent, AThreadLeavesItsRegionWhereAMemberComputesUntilItHasLeft) {
  std::atomic<bool> has_left{false};
  in_a_lent_thread([&] {
    while (!has_left) computes_for_a_while();
  }, [&] { has_left = true; });
}

// Each on the kernel thread of the thread that the other waits for.
TEST(Lent, TwoMembersWaitForTheEndsOfEachOthersLenders) {
  std::atomic<int> there{0};
  std::thread threads[2];
  std::atomic<long> lenders[2] = {0, 0};
  for (int i = 0; i < 2; ++i)
    threads[i] = std::thread([&, i] {
      const driving region;
      lenders[i] = kernel_thread();
      while (there != 2) weir::this_member::yield();
    });
  weir::crowd c(3, [&](unsigned m) {
    if (m == 0) {
      while (there != 2) computes_for_a_while(), weir::this_member::yield();
      return;
    }
    while (kernel_thread() != lenders[m - 1]) weir::this_member::yield();
    ++there;
    while (there != 2) computes_for_a_while();  // and stays there
    block_in_own_thread();
    threads[2 - m].join();
  }, {.processors = 1});
  c.join();
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
  constexpr unsigned many = 20;  // more than are asked one by one
  for (const unsigned members : {1u, many}) {
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
