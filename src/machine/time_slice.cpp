#include "time_slice.hpp"

#include <cstdint>

#include <sched.h>

#include "system/filter.hpp"
#include "system/raw_call.hpp"
#include "yield_doubt.hpp"

namespace weir {

namespace {
// The first version of the kernel's structure, which the C library does not declare before version 2.41.
struct attributes {
  std::uint32_t size = sizeof(attributes), policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0, deadline = 0, period = 0;  // nanoseconds; runtime: of an ordinary thread its slice
};
static_assert(sizeof(attributes) == 48);

constexpr std::uint64_t shortest = 100'000;  // the kernel grants no shorter one
}  // namespace

void ask_for_short_slices() noexcept {
  if (doubt_of_yields.holds()) ask_for_shortest_slice();
}

void ask_for_shortest_slice() noexcept {
  attributes scheduling;
  if (filter::call<SYS_sched_getattr>(0, reinterpret_cast<long>(&scheduling), sizeof scheduling, 0) != 0) return;
  // Before 6.12 the slice is 0.
  if (scheduling.policy != SCHED_OTHER || scheduling.runtime <= shortest) return;
  scheduling.runtime = shortest;
  filter::call<SYS_sched_setattr>(0, reinterpret_cast<long>(&scheduling), 0);
}

}  // namespace weir
