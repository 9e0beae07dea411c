// single constructs: which member executes one, and how its copyprivate values reach the others.
#pragma once

#include "openmp/forking/barrier.hpp"
#include "openmp/teams/team.hpp"
#include "openmp/worksharing/single_taken.hpp"

namespace weir::openmp {

/// Does the caller execute this single construct?
inline bool takes_single(member& me) {
  if (!may_share(me)) [[unlikely]] check_worksharing(me);
  team& t = *me.of;
  const std::uint32_t number = me.singles++;
  if (t.size == 1) return true;
  return takes_turn(t.singles_taken, number, t.size);
}

/// copyprivate: the member that has executed the construct gives its values, the others null. All get the executor's values,
/// and may read them until the next barrier.
inline void* copyprivate(member& me, void* values) {
  if (values != nullptr) me.of->copyprivate_values = values;
  barrier(me);
  return me.of->copyprivate_values;
}

}  // namespace weir::openmp
