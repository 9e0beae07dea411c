// Each memory order and each fence by which drivers, bodies and senders of signals agree is needed, or a table gives its reason
// (orders.hpp).
#include <gtest/gtest.h>

#include "orders.hpp"
#include "threads/driven_scenarios.hpp"

namespace {

using namespace explored_orders;

TEST(DriverOrders, EachIsNeededOrHasAReason) {
  std::map<site, std::string> written;
  for (const char* file : {"scheduling/driver.hpp", "scheduling/summons.hpp", "signals/sender.hpp"})
    scan(source / "src/threads" / file, written);
  std::vector<candidate> candidates;
  for (const auto& each : explored_threads::small_driven_scenarios()) candidates.push_back({each.name, each.program});
  expect_needed(written, candidates, {
    {"src/threads/signals/sender.hpp", "static void await_arrival() { machine::fence_everywhere(); }", order::acq_rel,
     "the mutant without it is found in \"signalling one that yields\", which has too many states here"},
  });
}

}  // namespace
