#include "threads/sleepers.hpp"

#include <pthread.h>

#include "machine/scheduling.hpp"
#include "threads/processor.hpp"
#include "threads/sleep_queue.hpp"

namespace weir::threads {

namespace {

using bucket = basic_sleep_queue<native_threads>;
constexpr unsigned buckets = 64;
constinit bucket all[buckets];

[[gnu::constructor]] void when_loaded() {
  pthread_atfork(nullptr, nullptr, [] {
    for (bucket& b : all) b.forget();
  });
}

// Words of gates are at least a line apart.
bucket& of(const void* object) { return all[reinterpret_cast<std::uintptr_t>(object) / 64 % buckets]; }

}  // namespace

void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
  // relaxed: the sender of a wake-up looks at it after it has changed the word, and a fence follows here, too: in add().
  if (wake_scheduled.load(std::memory_order_relaxed) != wake) wake_scheduled.store(wake, std::memory_order_relaxed);
  this_body->where()->sleep(*this_body, {&word, value});
}

bool falls_asleep(body& b, awaited on) noexcept {
  return of(on.object).add(b, *on.object, *on.word, on.value, [&b] { return b.has_signals(); });
}

void wake(std::atomic<std::uint32_t>& word, unsigned most) noexcept { wake_on(word, most); }

unsigned wake_on(const std::atomic<std::uint32_t>& object, unsigned most) noexcept {
  bucket& its = of(&object);
  if (!its.has_sleepers()) return 0;
  const without_preemption to_the_end;
  return its.wake(object, most, this_body);
}

void wake_body(body& b) noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);  // as in add(): the caller has sent a signal
  const void* const object = b.awaits.load(std::memory_order_relaxed);  // relaxed: looked at again below
  if (object == nullptr) return;
  const without_preemption to_the_end;
  of(object).wake(b, this_body);
}

}  // namespace weir::threads
