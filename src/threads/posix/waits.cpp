#include "threads/posix/waits.hpp"

#include <pthread.h>

#include "threads/scheduling/processor.hpp"
#include "threads/scheduling/sleepers.hpp"

namespace weir::threads {

constinit event_count all_event_counts[event_counts], all_of_conditions[event_counts];

namespace {

constinit std::atomic<std::uint32_t> released[event_counts];

[[gnu::constructor]] void when_loaded() {
  pthread_atfork(nullptr, nullptr, [] {
    for (event_count& e : all_event_counts) e.forget();
    for (event_count& e : all_of_conditions) e.forget();
    for (auto& each : released) each.store(0, std::memory_order_relaxed);
  });
}

using address = const std::atomic<std::uint32_t>;

}  // namespace

released_by_c_library::released_by_c_library(const void* mutex) : count_(released[place_of(mutex)]) {
  count_.fetch_add(1, std::memory_order_relaxed);  // relaxed: the fence orders it
  // seq_cst: as after a change of the mutex. A member that sleeps is woken; one that is about to sleep sees the count.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  notify(mutex, all_waiters);
}
released_by_c_library::~released_by_c_library() { count_.fetch_sub(1, std::memory_order_relaxed); }
bool released_by_c_library::may_be(const void* mutex) {
  return released[place_of(mutex)].load(std::memory_order_relaxed) != 0;  // relaxed: announce() has a fence
}

bool sleep_on(const void* object, const event_count& its, std::uint32_t seen) {
  {
    const without_preemption to_the_end;
    if (this_body == nullptr) return false;
    this_body->where()->sleep(*this_body, {&its.events(), seen, static_cast<address*>(object)});
  }
  return this_body != nullptr || attach_to_wait();
}

unsigned notify_slowly(event_count& its, const void* object, unsigned most) {
  its.happens();
  if (leaves_wake_up()) return 0;
  return wake_on(*static_cast<address*>(object), most);
}

}  // namespace weir::threads
