#include "threads/sleepers.hpp"

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

// Words of gates are at least a line apart.
body* following(const body& b) { return static_cast<body*>(b.next.load(std::memory_order_relaxed)); }

bucket& of(const void* word) { return all[reinterpret_cast<std::uintptr_t>(word) / 64 % buckets]; }

}  // namespace

void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
  body& me = *this_body;
  bucket& its = of(&word);
  // relaxed, also below: the sender of a wake-up looks at it after it has changed the word.
  if (wake_scheduled.load(std::memory_order_relaxed) != wake) wake_scheduled.store(wake, std::memory_order_relaxed);
  its.take();
  its.sleepers.fetch_add(1, std::memory_order_relaxed);
  // seq_cst: either wake() sees this sleeper (and the function that wakes it), or this body sees the word that has changed.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (word.load(std::memory_order_relaxed) != value) {
    its.sleepers.fetch_sub(1, std::memory_order_relaxed);
    its.release();
    return;
  }
  me.awaits = &word;
  me.next.store(its.first, std::memory_order_relaxed);
  its.first = &me;
  its.release();
  me.where()->block(me);
}

void wake(std::atomic<std::uint32_t>& word) noexcept {
  bucket& its = of(&word);
  if (its.sleepers.load(std::memory_order_relaxed) == 0) return;
  const without_preemption to_the_end;
  body* woken = nullptr;
  its.take();
  body* before = nullptr;
  for (body* b = its.first; b != nullptr;) {
    body& each = *b;
    b = following(each);
    if (each.awaits != &word) {
      before = &each;
      continue;
    }
    if (before != nullptr)
      before->next.store(b, std::memory_order_relaxed);
    else
      its.first = b;
    each.awaits = nullptr;  // for debuggers
    each.next.store(woken, std::memory_order_relaxed);
    woken = &each;
    its.sleepers.fetch_sub(1, std::memory_order_relaxed);
  }
  its.release();
  // Those that sleep longest are first now.
  while (woken != nullptr) {
    body& each = *woken;
    woken = following(each);
    run_queue::make_ready(each, this_body);
  }
}

void wake_body(body& b) noexcept {
  const std::atomic<std::uint32_t>* const word = b.awaits.load(std::memory_order_acquire);
  if (word == nullptr) return;
  const without_preemption to_the_end;
  bucket& its = of(word);
  its.take();
  body* before = nullptr;
  body* found = its.first;
  while (found != nullptr && found != &b) {
    before = found;
    found = following(*found);
  }
  if (found != nullptr) {
    if (before != nullptr)
      before->next.store(following(b), std::memory_order_relaxed);
    else
      its.first = following(b);
    b.awaits = nullptr;
    its.sleepers.fetch_sub(1, std::memory_order_relaxed);
  }
  its.release();
  if (found != nullptr) run_queue::make_ready(b, this_body);
}

}  // namespace weir::threads
