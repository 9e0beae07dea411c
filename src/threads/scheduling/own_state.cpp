#include "threads/scheduling/own_state.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "machine/processor_set.hpp"
#include "machine/raw_call.hpp"

namespace weir::threads {

namespace {

// relaxed: who inherits begins after the change.
constinit std::atomic<bool> some{false};

struct own_state {
  processor_set processors;
  std::array<std::uint64_t, 6> scheduling{};  // sched_getattr(2)
  long for_files;

  explicit own_state(pid_t of) {
    constexpr long of_thread = 1;
    raw_call(SYS_sched_getaffinity, of, sizeof processors.words, as_argument(processors.words.data()));
    raw_call(SYS_sched_getattr, of, as_argument(scheduling.data()), sizeof scheduling, 0);
    for_files = raw_call(SYS_ioprio_get, of_thread, of);
  }
};

}  // namespace

void note_own_state() { some.store(true, std::memory_order_relaxed); }
bool some_have_own_state() { return some.load(std::memory_order_relaxed); }

bool is_as_processor(pid_t processor) {
  const own_state mine(0), its(processor);
  // In words of 64 bits; the others are flags, and times that Weir changes itself (machine/time_slice.hpp).
  constexpr std::size_t policy = 0, nice_value_and_priority = 2;
  return mine.scheduling[policy] == its.scheduling[policy] &&
         mine.scheduling[nice_value_and_priority] == its.scheduling[nice_value_and_priority] && mine.for_files == its.for_files &&
         (mine.processors & its.processors) == its.processors;
}

}  // namespace weir::threads
