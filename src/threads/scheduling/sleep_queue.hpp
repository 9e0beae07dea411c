// Where bodies sleep on words: one bucket of a futex in user space.
//
//   sleeper:  into the list;  fence;  has the word another value?  then out of it
//   waker:    (the word changes)  fence;  is the list empty?  then nobody sleeps
//
// So a wake-up that finds no sleeper costs a fence and a load. The source is a template over a machine, like run_queue.hpp.
#pragma once

#include <limits>

#include "threads/scheduling/run_queue.hpp"
#include "threads/scheduling/spread.hpp"

namespace weir::threads {

template <class Machine>
class alignas(line_bytes) basic_sleep_queue {
 public:
  using runnable = basic_runnable<Machine>;
  using queue = basic_run_queue<Machine>;
  using word = typename Machine::template word<std::uint32_t>;

  /// True: `b` is in the list as a sleeper on `object`, of which only the address counts, and may be made ready at once. False:
  /// the word has another value, or stays_awake() is true, which a caller of wake(b) has changed before. Either `b` has stopped,
  /// or only the calling thread runs bodies that are made ready at the seat of `b`.
  template <class StaysAwake>
  bool add(runnable& b, const word& object, const word& on, std::uint32_t value, StaysAwake stays_awake) {
    take();
    b.awaits.store(&object, std::memory_order_relaxed);
    b.forget_waker();
    b.next.store(nullptr, std::memory_order_relaxed);
    link(last_.load(std::memory_order_relaxed), &b);
    // An update, though the list is locked: on x86-64 it is the fence, too. relaxed: the fence orders it.
    last_.exchange(&b, std::memory_order_relaxed);
    // seq_cst: either the waker, which has a fence after its change of the word, sees this sleeper, or this thread sees the
    // change.
    Machine::fence_after_update();
    const bool sleeps = on.load(std::memory_order_relaxed) == value && !stays_awake();
    if (!sleeps) remove(1, [&](const runnable& each) { return &each == &b; });
    release();
    return sleeps;
  }
  bool add(runnable& b, const word& on, std::uint32_t value) {
    return add(b, on, on, value, [] { return false; });
  }

  /// After the change of the word and a fence. relaxed: the fence orders it.
  bool has_sleepers() const { return first_.load(std::memory_order_relaxed) != nullptr; }

  /// Wakes at most `most` bodies that sleep on the object, those that have slept longest, and returns how many. `me`: the calling
  /// body, which is held; null: none.
  unsigned wake(const word& object, unsigned most, runnable* me) {
    take();
    runnable* const woken = remove(most, [&](const runnable& b) { return awaits(b) == &object; });
    release();
    unsigned count = 0;
    for_each_of(woken, [me, &count](runnable& b) {
      ++count;
      b.woken.store(static_cast<std::uint32_t>(woken_by::notification), std::memory_order_relaxed);
      queue::make_ready(b, me);
    });
    return count;
  }
  /// That body, if it sleeps. After a fence.
  void wake(runnable& which, runnable* me, woken_by what = woken_by::others) {
    take();
    runnable* const woken = remove(1, [&](const runnable& b) { return &b == &which; });
    release();
    if (woken == nullptr) return;
    which.woken.store(static_cast<std::uint32_t>(what), std::memory_order_relaxed);
    queue::make_ready(which, me);
  }

  /// All that sleep, for no reason of their objects'.
  void wake_all() {
    take();
    runnable* const woken = remove(no_limit, [](const runnable&) { return true; });
    release();
    for_each_of(woken, [](runnable& b) { queue::make_ready(b, nullptr); });
  }

  /// In the child of a fork, which has one thread: another one may have held the lock.
  void forget() {
    first_.store(nullptr, std::memory_order_relaxed);
    last_.store(nullptr, std::memory_order_relaxed);
    taken_.store(0, std::memory_order_relaxed);
  }

 private:
  // acquire: the list. No body stops while it holds the lock; the kernel may stop the thread that does.
  void take() {
    while (taken_.exchange(1, std::memory_order_acquire) != 0)
      Machine::yield_until(taken_, [](std::uint32_t now) { return now == 0; });
  }
  void release() { taken_.store(0, std::memory_order_release); }  // release: the list

  // Used while the lock is taken, but for has_sleepers(). relaxed, all: ordered by the lock, and by the thread that makes the
  // body ready.
  runnable* first() const { return first_.load(std::memory_order_relaxed); }
  static runnable* following(const runnable& b) { return b.next.load(std::memory_order_relaxed); }
  static const word* awaits(const runnable& b) { return b.awaits.load(std::memory_order_relaxed); }

  /// `behind` follows `before`; null: it is the first.
  void link(runnable* before, runnable* behind) {
    if (before != nullptr)
      before->next.store(behind, std::memory_order_relaxed);
    else
      first_.store(behind, std::memory_order_relaxed);
  }
  /// At most `most` of those that leave. They are linked, the one that has slept longest first.
  template <class Leaves>
  runnable* remove(unsigned most, Leaves leave) {
    runnable *gone = nullptr, *latest_gone = nullptr, *before = nullptr, *behind;
    for (runnable* b = first(); b != nullptr && most != 0; b = behind) {
      behind = following(*b);
      if (!leave(*b)) {
        before = b;
        continue;
      }
      --most;
      link(before, behind);
      if (behind == nullptr) last_.store(before, std::memory_order_relaxed);
      b->awaits.store(nullptr, std::memory_order_relaxed);
      b->next.store(nullptr, std::memory_order_relaxed);
      if (gone == nullptr)
        gone = b;
      else
        latest_gone->next.store(b, std::memory_order_relaxed);
      latest_gone = b;
    }
    return gone;
  }

  static constexpr unsigned no_limit = std::numeric_limits<unsigned>::max();
  word taken_{0};
  // The one that has slept longest, and the one that has come last.
  typename Machine::template pointer<runnable> first_{nullptr}, last_{nullptr};
};

/// The buckets. Few sleepers share one: who wakes one of them reads the lines of those before it in the list, so the words of a
/// team's members, which are equally far apart, must be spread.
template <class Machine>
class basic_sleep_queues {
 public:
  using bucket = basic_sleep_queue<Machine>;

  /// `address`: of the object.
  bucket& of(std::uintptr_t address) { return buckets_[spread(address, bits)]; }
  auto& buckets() { return buckets_; }
  bucket* begin() { return buckets_; }
  bucket* end() { return buckets_ + (1u << bits); }

 private:
  static constexpr unsigned bits = 8;
  bucket buckets_[1u << bits];
};

}  // namespace weir::threads
