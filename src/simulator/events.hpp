// The event queue. Events of one moment happen in the order in which they were created.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "units.hpp"

namespace weir::simulator {

enum class event_kind : std::uint32_t {
  resume,  ///< a thread continues
  store,   ///< the oldest store in a thread's buffer takes effect
  slice,   ///< a processor's time slice ends
  slot,    ///< a coscheduling slot ends
  arrival  ///< an application arrives
};

struct event {
  time at;
  event_kind kind;
  std::uint32_t who;         // thread, processor or application
  std::uint32_t generation;  // an event of an older generation has been cancelled
};

/// A radix heap [Ahuja, Mehlhorn, Orlin, Tarjan 1990]: virtual time never goes back, so an event is in the bucket of the
/// highest bit in which its time differs from the last event taken, and moves down when that bit is reached. Events of one
/// moment always share a bucket and are moved in order, so they keep their order.
class event_queue {
 public:
  bool empty() const { return size_ == 0; }
  time next_at() const {
    if (taken_ < buckets_[0].size()) return last_;
    return filled_ == 0 ? never : least_[static_cast<unsigned>(std::countr_zero(filled_)) + 1];
  }

  /// Not before the last event taken.
  void push(time at, event_kind kind, std::uint32_t who, std::uint32_t generation) {
    ++made_;
    ++size_;
    put({at, kind, who, generation});
  }

  event pop() {
    if (taken_ == buckets_[0].size()) come_down();
    --size_;
    return buckets_[0][taken_++];
  }

  std::uint64_t made() const { return made_; }

 private:
  static constexpr unsigned count = 64;  // bucket 0: this very moment; bucket i: bit i - 1 is the highest that differs

  void put(const event& e) {
    const auto differs = static_cast<std::uint64_t>(e.at ^ last_);
    const auto bucket = static_cast<unsigned>(std::bit_width(differs));
    if (bucket != 0) {
      const std::uint64_t bit = std::uint64_t{1} << (bucket - 1);
      if ((filled_ & bit) == 0 || e.at < least_[bucket]) least_[bucket] = e.at;
      filled_ |= bit;
    }
    buckets_[bucket].push_back(e);
  }

  // The earliest moment becomes the last one taken; all events of its bucket move to lower buckets.
  void come_down() {
    buckets_[0].clear();
    taken_ = 0;
    const auto lowest = static_cast<unsigned>(std::countr_zero(filled_)) + 1;
    filled_ &= filled_ - 1;
    last_ = least_[lowest];
    moving_.swap(buckets_[lowest]);
    for (const event& e : moving_) put(e);
    moving_.clear();
  }

  std::array<std::vector<event>, count> buckets_;
  std::array<time, count> least_{};
  std::vector<event> moving_;
  std::uint64_t filled_ = 0;  // which buckets except the first are not empty
  std::size_t taken_ = 0;     // of the first bucket
  std::size_t size_ = 0;
  time last_ = 0;
  std::uint64_t made_ = 0;
};

}  // namespace weir::simulator
