// What those hear who are about to sleep.
#include "threads/posix/waits.hpp"

#include <weir/crowd.hpp>

#include <gtest/gtest.h>

namespace {

using namespace weir::threads;

// A handler that has interrupted a change of the lists leaves the wake-up to the monitor, which wakes those that sleep. One that
// does not sleep yet must not begin to.
TEST(Notifications, AreEventsThoughTheMonitorWakesTheSleepers) {
  weir::crowd one(1, [](unsigned) {
    event_count events;
    const int object = 0;
    const std::uint32_t seen = events.announce();
    {
      const without_preemption as_in_a_change;
      EXPECT_EQ(notify_slowly(events, &object, 1, table::asked_about), 0u);
    }
    EXPECT_NE(events.so_far(), seen);
    events.retire();
  });
  one.join();
}

}  // namespace
