// The slice that threads ask for, by what the kernel says that they have.
#include "machine/time_slice.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <thread>

#include "machine/yield_doubt.hpp"
#include "system/raw_call.hpp"

namespace weir {
namespace {

/// Of the calling thread, in nanoseconds; 0: the kernel does not say.
std::uint64_t slice() {
  struct {
    std::uint32_t size = 48, policy = 0;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime = 0, deadline = 0, period = 0;
  } attributes;
  return raw_call(SYS_sched_getattr, 0, reinterpret_cast<long>(&attributes), sizeof attributes, 0) == 0 ? attributes.runtime : 0;
}

std::uint64_t slice_of_one_that_asks(int policy) {
  std::uint64_t found = 0;
  std::thread([&] {
    const sched_param none{};
    EXPECT_EQ(sched_setscheduler(0, policy, &none), 0);
    ask_for_short_slices();
    std::thread([&] { found = slice(); }).join();  // one that it creates has the same
  }).join();
  return found;
}

TEST(TimeSlice, IsShortInOrdinaryThreadsWhileYieldsAreDoubted) {
  const std::uint64_t usual = slice();
  if (usual <= 100'000) GTEST_SKIP() << "the kernel lets threads choose no slice, or ours is short already";
  if (!doubt_of_yields.holds()) {
    EXPECT_EQ(slice_of_one_that_asks(SCHED_OTHER), usual);
  }
  doubt_of_yields.begin();
  EXPECT_EQ(slice_of_one_that_asks(SCHED_OTHER), 100'000u);
  EXPECT_EQ(slice_of_one_that_asks(SCHED_BATCH), usual);
}

}  // namespace
}  // namespace weir
