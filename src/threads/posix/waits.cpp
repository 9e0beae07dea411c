#include "threads/posix/waits.hpp"

#include <pthread.h>

#include "system/fork_child.hpp"
#include "system/fork_page.hpp"
#include "threads/scheduling/processor.hpp"

namespace weir::threads {

WEIR_WIPED_IN_CHILDREN constinit event_count all_event_counts[event_counts], all_of_conditions[event_counts];

namespace {

// A page of them, so that the kernel can wipe it.
WEIR_WIPED_IN_CHILDREN constinit std::atomic<std::uint32_t> released[alignment_to_be_wiped / sizeof(std::uint32_t)];
static_assert(std::size(released) >= event_counts);

constinit bool are_wiped = false;
WEIR_RUN_BY_FORKS void begin_in_child() {
  if (are_wiped) return;
  for (auto& each : released) make_so_in_child(each, 0u);
  for (event_count& e : all_event_counts) e.forget();
  for (event_count& e : all_of_conditions) e.forget();
}
[[gnu::constructor]] void when_loaded() {
  are_wiped = is_wiped_in_child(all_event_counts) & is_wiped_in_child(all_of_conditions) & is_wiped_in_child(released);
  pthread_atfork(nullptr, nullptr, begin_in_child);
}

}  // namespace

released_by_c_library::released_by_c_library(const void* mutex) : count_(released[place_of(mutex)]) {
  count_.fetch_add(1, std::memory_order_relaxed);  // relaxed: the fence orders it
  // seq_cst: as after a change of the mutex. A member that sleeps is woken; one that is about to sleep sees the count.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  notify(mutex, all_waiters);
}
released_by_c_library::~released_by_c_library() { count_.fetch_sub(1, std::memory_order_relaxed); }
const std::atomic<std::uint32_t>& released_by_c_library::how_many(const void* mutex) { return released[place_of(mutex)]; }

void leave_until_thread_ends() {
  if (!detach_to_block()) block_in_own_thread();
}

bool sleep_on(const awaited& what) {
  {
    const without_preemption to_the_end;
    if (this_body == nullptr) return false;
    this_body->where()->sleep(*this_body, what);
  }
  return this_body != nullptr || attach_to_wait();
}

unsigned notify_slowly(event_count& events, const void* object, unsigned most, table in) {
  if (events.has_waiters()) events.happens();
  if (leaves_wake_up()) return 0;
  return wake_on(*static_cast<const std::atomic<std::uint32_t>*>(object), most, in);
}

}  // namespace weir::threads
