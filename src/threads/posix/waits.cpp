#include "threads/posix/waits.hpp"

#include <pthread.h>

#include "threads/processor.hpp"
#include "threads/sleepers.hpp"

namespace weir::threads {

constinit event_count all_event_counts[event_counts];

namespace {

[[gnu::constructor]] void when_loaded() {
  pthread_atfork(nullptr, nullptr, [] {
    for (event_count& e : all_event_counts) e.forget();
  });
}

using address = const std::atomic<std::uint32_t>;

}  // namespace

bool sleep_on(const void* object, const event_count& its, std::uint32_t seen) {
  {
    const without_preemption to_the_end;
    if (this_body == nullptr) return false;
    this_body->where()->sleep(*this_body, {&its.events(), seen, static_cast<address*>(object)});
  }
  return this_body != nullptr || comes_to_wait();
}

unsigned notify_slowly(const void* object, unsigned most) {
  events_of(object).happens();
  if (leaves_wake_up()) return 0;
  return wake_on(*static_cast<address*>(object), most);
}

}  // namespace weir::threads
