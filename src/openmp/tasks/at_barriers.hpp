// Where all tasks of a team must be complete: at its barriers, and at the end of a region.
#pragma once

#include "openmp/teams/team.hpp"

namespace weir::openmp {

void finish_tasks(member& me);
inline void complete_tasks(member& me) {
  // acquire: what tasks did that are complete already.
  if (me.implicit.below.load(std::memory_order_acquire) != 0) [[unlikely]] finish_tasks(me);
  happens_after(&me.implicit);
}

/// The member begins a region with a task of that region that it has taken too early (task_work::find): others may take it again.
void give_back_taken_task(member& me);

}  // namespace weir::openmp
