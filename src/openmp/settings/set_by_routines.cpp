#include "openmp/settings/set_by_routines.hpp"

#include <algorithm>
#include <atomic>
#include <climits>

#include <unistd.h>

#include "openmp/settings/initial.hpp"

namespace weir::openmp {

namespace {
// relaxed, for both: a number that nothing else goes with.
constexpr int not_said = -1;
std::atomic<int> blocktime{not_said};
std::atomic<std::size_t> stack{0};
}  // namespace

std::optional<int> blocktime_ms() {
  if (const int said = blocktime.load(std::memory_order_relaxed); said != not_said) return said;
  return initial_settings().blocktime_ms;
}
void set_blocktime_ms(int ms) { blocktime.store(std::max(ms, 0), std::memory_order_relaxed); }

std::size_t stack_bytes() {
  const std::size_t said = stack.load(std::memory_order_relaxed);
  return said != 0 ? said : initial_settings().stack_bytes;
}
void set_stack_bytes(std::size_t bytes) {
  // The least that the system takes.
  const long least = sysconf(_SC_THREAD_STACK_MIN);
  stack.store(std::max(bytes, static_cast<std::size_t>(std::max(least, 1L))), std::memory_order_relaxed);
}

}  // namespace weir::openmp
