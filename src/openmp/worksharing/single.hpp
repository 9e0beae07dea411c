// single constructs: which member executes one, and how its copyprivate values reach the others.
#pragma once

#include "openmp/core/team.hpp"

namespace weir::openmp {

/// Does the caller execute this single construct?
inline bool takes_single(member& me) {
  if (!may_share(me)) [[unlikely]] check_worksharing(me);
  team& t = *me.of;
  std::uint32_t mine = me.singles++;
  if (t.size == 1) return true;
  // A member that reads before it updates gets the line twice: 63 ns with 2 members, and 43 without the read (a transfer takes 54
  // ns). In a larger team, all members that only read get the line at the same time.
  constexpr unsigned few = 4;
  // relaxed: it decides which member, and orders nothing; what the executor writes is published by the barrier that follows.
  return (t.size <= few || t.singles_taken.load(std::memory_order_relaxed) == mine) &&
         t.singles_taken.compare_exchange_strong(mine, mine + 1, std::memory_order_relaxed);
}

/// copyprivate: the member that has executed the construct gives its values, the others null. All get the executor's values,
/// and may read them until the next barrier.
inline void* copyprivate(member& me, void* values) {
  if (values != nullptr) me.of->copyprivate_values = values;
  barrier(me);
  return me.of->copyprivate_values;
}

}  // namespace weir::openmp
