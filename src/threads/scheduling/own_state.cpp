#include "threads/scheduling/own_state.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "machine/processor_set.hpp"
#include "system/filter.hpp"
#include "system/raw_call.hpp"
#include "threads/scheduling/lists.hpp"
#include "threads/threads.hpp"

namespace weir::threads {

constinit thread_local bool gives_own_state = false;

namespace {

struct own_state {
  processor_set processors;
  std::array<std::uint64_t, 6> scheduling{};  // sched_getattr(2)
  long for_files = 0;

  void read() {
    constexpr long of_thread = 1;
    raw_call(SYS_sched_getaffinity, 0, sizeof processors.words, as_argument(processors.words.data()));
    filter::call<SYS_sched_getattr>(0, as_argument(scheduling.data()), sizeof scheduling, 0);
    for_files = filter::call<SYS_ioprio_get>(of_thread, 0);
  }
};

constinit own_state all_had;
constinit std::atomic<bool> some{false};

}  // namespace

void note_own_state() {
  if (some_have_own_state()) return;
  const std::lock_guard lock(pool_lock);
  if (some_have_own_state()) return;
  all_had.read();
  some.store(true, std::memory_order_release);  // release: what all had
}
bool some_have_own_state() { return some.load(std::memory_order_acquire); }

bool passes_on_own_state() {
  return gives_own_state || (some_have_own_state() && own_body != nullptr && own_body->is_pinned_for_good());
}

bool is_as_others() {
  if (gives_own_state) [[unlikely]] return false;
  if (!some_have_own_state()) [[likely]] return true;
  own_state own;
  own.read();
  // In words of 64 bits; the others are flags, and times that Weir changes itself (machine/time_slice.hpp).
  constexpr std::size_t policy = 0, nice_value_and_priority = 2;
  // Programs that share a node have masks that change (node/confinement.hpp).
  const bool masks_change = tell_of_starts.load(std::memory_order_relaxed) != nullptr;
  return own.scheduling[policy] == all_had.scheduling[policy] &&
         own.scheduling[nice_value_and_priority] == all_had.scheduling[nice_value_and_priority] &&
         own.for_files == all_had.for_files && (masks_change || own.processors == all_had.processors);
}

}  // namespace weir::threads
