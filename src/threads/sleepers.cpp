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
bucket& of(const void* word) { return all[reinterpret_cast<std::uintptr_t>(word) / 64 % buckets]; }

}  // namespace

void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
  // relaxed: the sender of a wake-up looks at it after it has changed the word, and a fence follows here, too: in add().
  if (wake_scheduled.load(std::memory_order_relaxed) != wake) wake_scheduled.store(wake, std::memory_order_relaxed);
  this_body->where()->sleep(*this_body, {&word, value});
}

bool falls_asleep(body& b, awaited on) noexcept {
  return of(on.word).add(b, *on.word, on.value, [&b] { return b.has_signals(); });
}

void wake(std::atomic<std::uint32_t>& word, unsigned most) noexcept {
  bucket& its = of(&word);
  if (!its.has_sleepers()) return;
  const without_preemption to_the_end;
  its.wake(word, most, this_body);
}

void wake_body(body& b) noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);  // as in add(): the caller has sent a signal
  const std::atomic<std::uint32_t>* const word = b.awaits.load(std::memory_order_relaxed);  // relaxed: looked at again below
  if (word == nullptr) return;
  const without_preemption to_the_end;
  of(word).wake(b, this_body);
}

}  // namespace weir::threads
