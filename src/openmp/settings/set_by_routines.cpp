#include "openmp/settings/set_by_routines.hpp"

#include <algorithm>
#include <atomic>
#include <climits>

#include <unistd.h>

#include "openmp/settings/initial.hpp"

namespace weir::openmp {

namespace {
// relaxed, for both: a number with which no other data goes.
constexpr int unset = -1;
std::atomic<int> blocktime{unset};
std::atomic<std::size_t> stack{0};
}  // namespace

std::optional<int> blocktime_ms() {
  if (const int set = blocktime.load(std::memory_order_relaxed); set != unset) return set;
  return initial_settings().blocktime_ms;
}
void set_blocktime_ms(int ms) { blocktime.store(std::max(ms, 0), std::memory_order_relaxed); }

std::size_t stack_bytes() {
  const std::size_t set = stack.load(std::memory_order_relaxed);
  return set != 0 ? set : initial_settings().stack_bytes;
}
void set_stack_bytes(std::size_t bytes) {
  // The least that the system accepts.
  const long least = sysconf(_SC_THREAD_STACK_MIN);
  stack.store(std::max(bytes, static_cast<std::size_t>(std::max(least, 1L))), std::memory_order_relaxed);
}

}  // namespace weir::openmp
