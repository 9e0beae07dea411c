#include "threads/program/children.hpp"

#include <atomic>
#include <utility>

#include "machine/scheduling.hpp"
#include "threads/program/program_threads.hpp"
#include "threads/program/seats.hpp"
#include "threads/scheduling/hand_off.hpp"
#include "threads/scheduling/lists.hpp"
#include "threads/scheduling/pool.hpp"
#include "threads/threads.hpp"

namespace weir::threads {

// Signals of Weir's that come meanwhile find no body, and are lost, as ticks may be.
standing set_aside(bool waits) {
  detach_to_make_child();
  processor* const blocks = waits && this_body != nullptr && !detach_to_block() ? blocking_call::begin() : nullptr;
  const standing its{std::exchange(this_body, nullptr), std::exchange(own_body, nullptr), std::exchange(own_processor, nullptr),
                     std::exchange(mine, nullptr), std::exchange(scheduled_by, nullptr), std::exchange(stays_in_kernel, true),
                     blocks};
  std::atomic_signal_fence(std::memory_order_seq_cst);  // seq_cst: before the system call, also to handlers
  return its;
}
void restore(const standing& its) {
  std::atomic_signal_fence(std::memory_order_seq_cst);  // seq_cst: behind the system call, also to handlers
  stays_in_kernel = its.stays_in_kernel;
  mine = its.known;
  own_processor = its.drives;
  own_body = its.own;
  this_body = its.attached;
  scheduled_by = its.by;
  if (its.blocks != nullptr) blocking_call::end(*its.blocks);
}

void begin_as_copy() {
  processors_for_all = 0;
  seats_are_open.store(false, std::memory_order_relaxed);
}

void leave_for_good() {
  if (is_in_child() || (this_body != nullptr && this_body->held.load(std::memory_order_relaxed) != 0)) return;
  end_program_thread();
  pin();
}

}  // namespace weir::threads
