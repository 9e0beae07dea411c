// The queue of a member's tasks: the member adds and takes at one end, other members steal at the other end.
//
// Chase and Lev, "Dynamic circular work-stealing deque", SPAA 2005, with a fixed capacity. The orders follow Lê, Pop, Cohen and
// Zappa Nardelli, "Correct and efficient work-stealing for weak memory models", PPoPP 2013, with sequentially consistent accesses
// in place of their fences.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <weir/machine/machine.hpp>

namespace weir::openmp {

template <class Machine, class T, std::size_t Capacity>
class deque {
  static_assert((Capacity & (Capacity - 1)) == 0);

 public:
  /// Called by the owner. False: the queue is full.
  bool push(T* it) {
    const std::int64_t end = bottom_.load(std::memory_order_relaxed);  // relaxed: the owner alone writes it
    // Thieves only increase top, so a value that was read earlier is a bound, and the thieves' line need not be fetched for each
    // task. relaxed: only the owner uses this word.
    if (end - seen_top_.load(std::memory_order_relaxed) >= static_cast<std::int64_t>(Capacity)) [[unlikely]] {
      // acquire: a thief has read its slot before the slot is written again.
      const std::int64_t first = top_.load(std::memory_order_acquire);
      seen_top_.store(first, std::memory_order_relaxed);
      if (end - first >= static_cast<std::int64_t>(Capacity)) return false;
    }
    at(end).store(reinterpret_cast<std::uintptr_t>(it), std::memory_order_relaxed);  // relaxed: published by the next line
    bottom_.store(end + 1, std::memory_order_release);
    return true;
  }

  /// Called by the owner: takes the newest task, if there is one and `may(it)` is true; otherwise null.
  template <class May>
  T* pop(May may) {
    const std::int64_t last = bottom_.load(std::memory_order_relaxed) - 1;
    // relaxed: only an estimate; the code below handles a thief that has taken a task since.
    if (last < top_.load(std::memory_order_relaxed)) return nullptr;
    auto* it = reinterpret_cast<T*>(at(last).load(std::memory_order_relaxed));  // relaxed: the owner alone writes it
    if (!may(it)) return nullptr;
    // seq_cst, both: either a thief sees that the last one is being taken, or this member sees what the thief has taken.
    bottom_.store(last, std::memory_order_seq_cst);
    std::int64_t first = top_.load(std::memory_order_seq_cst);
    if (first < last) return it;
    // The only one: thieves may want it too.
    if (first > last || !top_.compare_exchange_strong(first, first + 1, std::memory_order_seq_cst))
      it = nullptr;
    bottom_.store(last + 1, std::memory_order_relaxed);  // relaxed: the deque is empty, there is nothing to publish
    return it;
  }

  /// Called by any thread: takes the oldest task, if there is one and `may(it)` is true; otherwise null. Another thread may take
  /// the task while `may` looks at it.
  template <class May>
  T* steal(May may) {
    std::int64_t first = top_.load(std::memory_order_seq_cst);
    // seq_cst: see pop(). It acquires what push() has released, the task and its slot.
    if (first >= bottom_.load(std::memory_order_seq_cst)) return nullptr;
    auto* const it = reinterpret_cast<T*>(at(first).load(std::memory_order_relaxed));  // relaxed: if overwritten, top has moved on
    if (!may(it)) return nullptr;
    // seq_cst: in one order with pop(). release: the slot has been read.
    if (!top_.compare_exchange_strong(first, first + 1, std::memory_order_seq_cst)) return nullptr;
    return it;
  }

  /// Called by the owner of an empty queue: another number than before if there have been tasks in it since.
  std::int64_t end() const { return bottom_.load(std::memory_order_relaxed); }

  /// Called by any thread. A task that was added before a seq_cst fence is seen, if that fence comes before this call in the order
  /// of the seq_cst operations. relaxed: an older value would only make the queue look full.
  bool is_empty() const { return top_.load(std::memory_order_relaxed) >= bottom_.load(std::memory_order_seq_cst); }

 private:
  template <class W>
  using word = typename Machine::template word<W>;

  word<std::uintptr_t>& at(std::int64_t number) { return slots_[static_cast<std::size_t>(number) % Capacity]; }

  alignas(line_bytes) word<std::int64_t> top_{0};     // the oldest; thieves write it
  alignas(line_bytes) word<std::int64_t> bottom_{0};  // behind the newest; the owner writes it
  word<std::int64_t> seen_top_{0};                    // as the owner has last read it
  alignas(line_bytes) word<std::uintptr_t> slots_[Capacity]{};
};

}  // namespace weir::openmp
