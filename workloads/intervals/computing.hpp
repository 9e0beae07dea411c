// A thread of the synthetic program computes a chain of integers, in intervals of even or random length.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "work.hpp"

namespace intervals {

/// How long the intervals are, in steps of the chain: uniform between `steps` less and plus `imbalance` percent.
struct length {
  long steps, imbalance;

  long spread() const { return steps * imbalance / 100; }
};

/// The intervals of one member, which it may draw again.
class drawn {
 public:
  drawn(const length& of, long member) : least_(of.steps - of.spread()), range_(2 * of.spread() + 1), state_(member) {}

  long next() {
    state_ = workloads::chain(state_, 1);
    return least_ + static_cast<long>((state_ >> 32) * static_cast<std::uint64_t>(range_) >> 32);
  }

 private:
  long least_, range_;
  std::uint64_t state_;
};

/// The results of a member. In a cache line of its own.
struct alignas(128) record {
  std::uint64_t state = 0;
  long early = 0;                // barriers that it left before its neighbour had arrived
  std::atomic<long> episode{0};  // of those that it has arrived at
};

/// All members call it.
template <class Member>
void compute(Member& me, std::vector<record>& team, const length& of, long episodes) {
  record& own = team[static_cast<std::size_t>(me.number())];
  const record& neighbour = team[static_cast<std::size_t>((me.number() + 1) % me.count())];
  drawn intervals(of, me.number());
  std::uint64_t state = static_cast<std::uint64_t>(me.number());
  for (long e = 1; e <= episodes; e++) {
    state = workloads::chain(state, intervals.next());
    // Both relaxed: the barrier must order them.
    own.episode.store(e, std::memory_order_relaxed);
    me.barrier();
    if (neighbour.episode.load(std::memory_order_relaxed) < e) own.early++;
  }
  own.state = state;
}

/// The steps of a member's intervals.
inline long total(const length& of, long member, long episodes) {
  drawn intervals(of, member);
  long sum = 0;
  for (long e = 0; e < episodes; e++) sum += intervals.next();
  return sum;
}

/// Did the member compute what it should, and leave no barrier early?
inline bool is_right(const record& r, const length& of, long member, long episodes) {
  return r.early == 0 && r.state == workloads::chain(static_cast<std::uint64_t>(member), total(of, member, episodes));
}

}  // namespace intervals
