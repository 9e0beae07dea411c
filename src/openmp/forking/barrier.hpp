// The barrier of a team, between the fork and the join of a region.
#pragma once

#include "openmp/teams/team.hpp"

namespace weir::openmp {

/// All members arrive, and have completed their tasks, before any goes on.
void barrier(member& me);
/// The same; but if the caller `may_leave`, it does not wait in a cancelled region, and the result is true.
bool pass_barrier(member& me, bool may_leave);
/// A barrier that is a cancellation point. True: the region is cancelled.
bool barrier_in_cancellable(member& me);

}  // namespace weir::openmp
