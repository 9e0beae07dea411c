// Each memory order and each fence of the virtual processors' protocols is needed, or a table gives its reason (orders.hpp).
#include <gtest/gtest.h>

#include "orders.hpp"
#include "threads/scenarios.hpp"

namespace {

using namespace explored_orders;

TEST(RunQueueOrders, EachIsNeededOrHasAReason) {
  std::map<site, std::string> written;
  for (const char* file : {"runnable.hpp", "run_queue.hpp", "sleep_queue.hpp", "parking.hpp", "event_counts.hpp"})
    scan(source / "src/threads/scheduling" / file, written);
  std::vector<candidate> candidates;
  for (const auto& each : explored_threads::all_scenarios())
    if (each.name != "counting, woken one at a time") candidates.push_back({each.name, each.program});  // it has too many states
  expect_needed(written, candidates, {});
}

}  // namespace
