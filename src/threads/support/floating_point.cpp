#include "threads/support/floating_point.hpp"

#include <weir/machine/native.hpp>

namespace weir::threads {

constinit std::atomic<std::uint64_t> ticks_per_ms{0};

namespace {
[[gnu::noinline]] std::uint64_t measured() {
  asm volatile("" : : : "memory");  // not pure, so that it stays between the two accesses to the state
  return static_cast<std::uint64_t>(1e3 * native::ticks_per_microsecond());
}
}  // namespace

std::uint64_t learn_ticks_per_ms() {
  const floating_point_kept of_body;
  const std::uint64_t ticks = measured();
  ticks_per_ms.store(ticks, std::memory_order_relaxed);
  return ticks;
}

}  // namespace weir::threads
