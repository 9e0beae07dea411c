// One program has an object compiled with WEIR_CHECKED and one without: both agree on a barrier's layout, also in an array.
#include <gtest/gtest.h>
#include <thread>

#include "mixed.hpp"

#ifdef WEIR_CHECKED
#error "to be compiled without WEIR_CHECKED"
#endif

namespace {

TEST(Mixed, ABarrierHasOneSize) { EXPECT_EQ(sizeof(weir::barrier<>), checked::bytes); }

TEST(Mixed, MembersOfBothMeet) {
  weir::barrier<> b(2);
  std::thread other([&] {
    for (int i = 0; i < 100; ++i) checked::arrive_and_wait(b);
  });
  for (int i = 0; i < 100; ++i) b.arrive_and_wait();
  other.join();
}

TEST(Mixed, OneDeletesWhatTheOtherHasMade) {
  delete[] checked::new_pair();
  checked::delete_pair(new_pair());
}

}  // namespace
