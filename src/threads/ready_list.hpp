// Ready bodies, in the order in which they run. One thread at a time changes the list, by plain stores: relaxed, since others
// only ask whether it is empty.
#pragma once

#include <atomic>

#include "threads/body.hpp"

namespace weir::threads {

class ready_list {
 public:
  bool empty() const { return first_.load(std::memory_order_relaxed) == nullptr; }

  void append(body& b) {
    b.next = nullptr;
    if (last_ != nullptr)
      last_->next = &b;
    else
      first_.store(&b, std::memory_order_relaxed);
    last_ = &b;
  }

  /// Null: it is empty.
  body* take() {
    body* const b = first_.load(std::memory_order_relaxed);
    if (b == nullptr) return nullptr;
    first_.store(b->next, std::memory_order_relaxed);
    if (b->next == nullptr) last_ = nullptr;
    return b;
  }

  /// The first of all, which are linked.
  body* take_all() {
    body* const all = first_.load(std::memory_order_relaxed);
    first_.store(nullptr, std::memory_order_relaxed);
    last_ = nullptr;
    return all;
  }

 private:
  std::atomic<body*> first_{nullptr};
  body* last_ = nullptr;
};

}  // namespace weir::threads
