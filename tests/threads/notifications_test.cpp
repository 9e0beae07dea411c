// What those hear who are about to sleep.
#include "threads/posix/waits.hpp"

#include <weir/crowd.hpp>

#include <gtest/gtest.h>

namespace {

using namespace weir::threads;

// A handler that has interrupted a change of the lists leaves the wake-up to the monitor, which wakes who sleeps. Who does not
// sleep yet must not begin to.
TEST(Notifications, AreEventsThoughTheMonitorWakesTheSleepers) {
  weir::crowd one(1, [](unsigned) {
    event_count its;
    const int object = 0;
    const std::uint32_t seen = its.announce();
    {
      const without_preemption as_in_a_change;
      EXPECT_EQ(notify_slowly(its, &object, 1, table::asked_about), 0u);
    }
    EXPECT_NE(its.so_far(), seen);
    its.retire();
  });
  one.join();
}

}  // namespace
