// The future: what happens when, in order. Events of one moment happen in the order they were made.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "units.hpp"

namespace weir::simulator {

enum class event_kind : std::uint32_t {
  resume,  ///< a thread goes on
  store,   ///< the oldest store in a thread's buffer takes effect
  slice,   ///< a processor's time slice ends
  slot,    ///< a coscheduling slot ends
  arrival  ///< an application arrives
};

struct event {
  time at;
  std::uint64_t order;
  event_kind kind;
  std::uint32_t who;         // thread, processor or application
  std::uint32_t generation;  // an event of an older generation has been cancelled

  bool before(const event& other) const { return at != other.at ? at < other.at : order < other.order; }
};

/// A heap with four children a node: half as deep as a binary one, and a node's children share a line or two.
class event_queue {
 public:
  bool empty() const { return heap_.empty(); }
  time next_at() const { return heap_.empty() ? never : heap_.front().at; }

  void push(time at, event_kind kind, std::uint32_t who, std::uint32_t generation) {
    const event made{at, made_++, kind, who, generation};
    std::size_t hole = heap_.size();
    heap_.push_back(made);
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / 4;
      if (!made.before(heap_[parent])) break;
      heap_[hole] = heap_[parent];
      hole = parent;
    }
    heap_[hole] = made;
  }

  event pop() {
    const event first = heap_.front();
    const event last = heap_.back();
    heap_.pop_back();
    const std::size_t size = heap_.size();
    if (size == 0) return first;
    std::size_t hole = 0;
    for (;;) {
      const std::size_t child = 4 * hole + 1;
      if (child >= size) break;
      std::size_t least = child;
      for (std::size_t c = child + 1; c < child + 4 && c < size; ++c)
        if (heap_[c].before(heap_[least])) least = c;
      if (!heap_[least].before(last)) break;
      heap_[hole] = heap_[least];
      hole = least;
    }
    heap_[hole] = last;
    return first;
  }

  std::uint64_t made() const { return made_; }

 private:
  std::vector<event> heap_;
  std::uint64_t made_ = 0;
};

}  // namespace weir::simulator
