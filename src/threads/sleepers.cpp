#include "threads/sleepers.hpp"

#include <algorithm>

#include <pthread.h>

#include <weir/machine/native.hpp>

#include "machine/scheduling.hpp"
#include "threads/processor.hpp"

namespace weir::threads {

namespace {

struct alignas(line_bytes) bucket {
  std::atomic<bool> taken{false};
  std::atomic<unsigned> sleepers{0};
  body* first = nullptr;

  void take() {
    // acquire: the list. No body stops while it holds the lock; the kernel may stop the thread that does.
    while (taken.exchange(true, std::memory_order_acquire)) yield_to_kernel();
  }
  void release() { taken.store(false, std::memory_order_release); }

  // While it is taken.
  void add(body& b, const std::atomic<std::uint32_t>& word);
  /// Those that leave(body) go; they are linked, the one that has slept longest first.
  template <class Leaves>
  body* remove_those(Leaves leave);
};

constexpr unsigned buckets = 64;
constinit bucket all[buckets];

// The child of a fork has one thread, which does not sleep; another may have held a lock.
[[gnu::constructor]] void when_loaded() {
  pthread_atfork(nullptr, nullptr, [] {
    for (bucket& b : all) {
      b.first = nullptr;
      b.sleepers.store(0, std::memory_order_relaxed);
      b.taken.store(false, std::memory_order_relaxed);
    }
  });
}

body* following(const body& b) { return static_cast<body*>(b.next.load(std::memory_order_relaxed)); }

// Words of gates are at least a line apart.
bucket& of(const void* word) { return all[reinterpret_cast<std::uintptr_t>(word) / 64 % buckets]; }

void bucket::add(body& b, const std::atomic<std::uint32_t>& word) {
  b.awaits.store(&word, std::memory_order_relaxed);
  b.next.store(first, std::memory_order_relaxed);
  first = &b;
}

template <class Leaves>
body* bucket::remove_those(Leaves leave) {
  body *gone = nullptr, *before = nullptr;
  for (body* b = first; b != nullptr;) {
    body& each = *b;
    b = following(each);
    if (!leave(each)) {
      before = &each;
      continue;
    }
    if (before != nullptr)
      before->next.store(b, std::memory_order_relaxed);
    else
      first = b;
    each.awaits.store(nullptr, std::memory_order_relaxed);
    each.next.store(gone, std::memory_order_relaxed);
    gone = &each;
    sleepers.fetch_sub(1, std::memory_order_relaxed);
  }
  return gone;
}

}  // namespace

void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
  // relaxed, also below: the sender of a wake-up looks at it after it has changed the word.
  if (wake_scheduled.load(std::memory_order_relaxed) != wake) wake_scheduled.store(wake, std::memory_order_relaxed);
  this_body->where()->sleep(*this_body, {&word, value});
}

bool falls_asleep(body& b, awaited on) noexcept {
  bucket& its = of(on.word);
  its.take();
  its.sleepers.fetch_add(1, std::memory_order_relaxed);
  its.add(b, *on.word);
  // seq_cst: either wake() sees this sleeper (and the function that wakes it), or this thread sees the word that has changed. The same
  // for a signal: wake_body() has a fence, too.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const bool sleeps = on.word->load(std::memory_order_relaxed) == on.value && !b.has_signals();
  if (!sleeps) its.remove_those([&](const body& each) { return &each == &b; });
  its.release();
  return sleeps;
}

void wake(std::atomic<std::uint32_t>& word, unsigned most) noexcept {
  bucket& its = of(&word);
  if (its.sleepers.load(std::memory_order_relaxed) == 0) return;
  const without_preemption to_the_end;
  its.take();
  // The first of the list have come last.
  unsigned passed_over = 0;
  for (const body* b = its.first; b != nullptr; b = following(*b)) passed_over += b->awaits == &word;
  passed_over -= std::min(passed_over, most);
  body* woken = its.remove_those([&](const body& b) {
    if (b.awaits != &word) return false;
    if (passed_over == 0) return true;
    --passed_over;
    return false;
  });
  its.release();
  while (woken != nullptr) {
    body& each = *woken;
    woken = following(each);
    run_queue::make_ready(each, this_body);
  }
}

void wake_body(body& b) noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);  // as in falls_asleep(): the caller has sent a signal
  const std::atomic<std::uint32_t>* const word = b.awaits.load(std::memory_order_relaxed);  // relaxed: looked at again below
  if (word == nullptr) return;
  const without_preemption to_the_end;
  bucket& its = of(word);
  its.take();
  body* const woken = its.remove_those([&](const body& each) { return &each == &b; });
  its.release();
  if (woken != nullptr) run_queue::make_ready(b, this_body);
}

}  // namespace weir::threads
