// Ready bodies, in the order in which they run. One thread at a time changes the list, by plain stores: relaxed, since others only
// ask whether it is empty.
//
// Bodies that have lost the processor because they spin come last, the latest of them first: it waits for the least. In a chain of
// bodies of which each waits for the one before, the first runs, and then the others in the order of the chain.
#pragma once

#include <atomic>

#include "threads/body.hpp"

namespace weir::threads {

class ready_list {
 public:
  bool empty() const { return first_.load(std::memory_order_relaxed) == nullptr; }

  void append(body& b) {
    insert_after(last_, b);
    last_not_spinning_ = &b;
  }
  // If all spin, each has its turn.
  void append_spinning(body& b) { insert_after(last_not_spinning_ != nullptr ? last_not_spinning_ : last_, b); }

  /// Null: it is empty.
  body* take() {
    body* const b = first_.load(std::memory_order_relaxed);
    if (b == nullptr) return nullptr;
    first_.store(b->next, std::memory_order_relaxed);
    if (last_ == b) last_ = nullptr;
    if (last_not_spinning_ == b) last_not_spinning_ = nullptr;
    return b;
  }

  /// The first of all, which are linked.
  body* take_all() {
    body* const all = first_.load(std::memory_order_relaxed);
    first_.store(nullptr, std::memory_order_relaxed);
    last_ = last_not_spinning_ = nullptr;
    return all;
  }

 private:
  /// Null: the list is empty.
  void insert_after(body* before, body& b) {
    b.next = before != nullptr ? before->next : nullptr;
    if (before != nullptr)
      before->next = &b;
    else
      first_.store(&b, std::memory_order_relaxed);
    if (b.next == nullptr) last_ = &b;
  }

  std::atomic<body*> first_{nullptr};
  body* last_ = nullptr;
  body* last_not_spinning_ = nullptr;  // those after it spin
};

}  // namespace weir::threads
