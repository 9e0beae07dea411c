// The queue of a member's tasks: the member adds and takes at one end, other members steal at the other end.
//
// Chase and Lev, "Dynamic circular work-stealing deque", SPAA 2005, with a fixed capacity. The orders follow Lê, Pop, Cohen and
// Zappa Nardelli, "Correct and efficient work-stealing for weak memory models", PPoPP 2013, with sequentially consistent accesses
// in place of their fences.
//
// Thieves do not read where the queue ends: the slot behind the newest task is empty, and a task that the owner takes leaves an
// empty slot. So the owner's count has no other reader, and a task goes to a thief with the line of its slot alone.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <weir/machine/machine.hpp>

namespace weir::openmp {

template <class Machine, class T, std::size_t Slots>
class deque {
 public:
  /// Called by the owner. False: the queue is full, or was full when the owner last looked. A full queue refuses so many more
  /// tasks before the owner looks again, because each look moves the thieves' line to the owner and back.
  bool push(T* it, unsigned refusals = 0) {
    return push_quickly(it) || (has_room(refusals) && push_quickly(it));
  }
  /// The same, without a look at the thieves' line. False: the queue was full when the owner last looked.
  [[gnu::always_inline]] bool push_quickly(T* it) {
    const std::int64_t end = bottom_;
    // Thieves only increase top, so a value that was read earlier is a bound.
    if (end - seen_top_ >= most) [[unlikely]] return false;
    at(end + 1).store(0, std::memory_order_relaxed);  // relaxed: published by the next line
    at(end).store(reinterpret_cast<std::uintptr_t>(it), std::memory_order_release);
    bottom_ = end + 1;
    return true;
  }

  /// Called by the owner: takes the newest task, if there is one and `may(it)` is true; otherwise null.
  template <class May>
  T* pop(May may) {
    const std::int64_t last = bottom_ - 1;
    // relaxed: only an estimate; the code below handles a thief that has taken a task since.
    if (last < top_.load(std::memory_order_relaxed)) return nullptr;
    auto* const it = reinterpret_cast<T*>(at(last).load(std::memory_order_relaxed));  // relaxed: the owner alone writes it
    if (!may(it)) return nullptr;
    // seq_cst, both: either a thief sees that the last one is being taken, or this member sees what the thief has taken.
    at(last).store(0, std::memory_order_seq_cst);
    std::int64_t first = top_.load(std::memory_order_seq_cst);
    if (first < last) {
      bottom_ = last;
      return it;
    }
    // The only one: thieves may want it too.
    if (first > last || !top_.compare_exchange_strong(first, first + 1, std::memory_order_seq_cst)) return nullptr;
    return it;
  }

  /// Called by any thread: takes the oldest task, if there is one and `may(it)` is true; otherwise null. Another thread may take
  /// the task while `may` looks at it.
  template <class May>
  T* steal(May may) {
    std::int64_t first = top_.load(std::memory_order_seq_cst);
    // seq_cst: see pop(). It acquires what push() has released, the task.
    auto* const it = reinterpret_cast<T*>(at(first).load(std::memory_order_seq_cst));
    if (it == nullptr || !may(it)) return nullptr;
    // seq_cst: in one order with pop(). If the slot is another task's by now, top has moved on. release: the slot has been read.
    if (!top_.compare_exchange_strong(first, first + 1, std::memory_order_seq_cst)) return nullptr;
    return it;
  }

  /// Called by the owner of an empty queue: another number than before if there have been tasks in it since.
  std::int64_t end() const { return bottom_; }

  /// Called by any thread. A task that was added before a seq_cst fence is seen, if that fence comes before this call in the
  /// order of the seq_cst operations.
  bool is_empty() const {
    const std::int64_t first = top_.load(std::memory_order_seq_cst);
    return at(first).load(std::memory_order_seq_cst) == 0;
  }

 private:
  template <class W>
  using word = typename Machine::template word<W>;
  static constexpr std::int64_t most = Slots - 1;

  bool has_room(unsigned refusals) {
    if (refused_ != 0) {
      --refused_;
      return false;
    }
    // acquire: a thief has read its slot before the slot is written again.
    seen_top_ = top_.load(std::memory_order_acquire);
    if (bottom_ - seen_top_ < most) return true;
    refused_ = refusals;
    return false;
  }

  word<std::uintptr_t>& at(std::int64_t number) { return slots_[static_cast<std::size_t>(number) % Slots]; }
  const word<std::uintptr_t>& at(std::int64_t number) const { return slots_[static_cast<std::size_t>(number) % Slots]; }

  alignas(line_bytes) word<std::int64_t> top_{0};  // the oldest; thieves write it
  // The owner's.
  alignas(line_bytes) std::int64_t bottom_ = 0;  // behind the newest
  std::int64_t seen_top_ = 0;
  unsigned refused_ = 0;  // how many tasks it refuses before the next look
  alignas(line_bytes) word<std::uintptr_t> slots_[Slots]{};
};

}  // namespace weir::openmp
