// Threads go where their places are, and say so where OMP_DISPLAY_AFFINITY asks for it.
//
// The program's first thread begins at the first place, other threads of the program at those that follow in turn, and each goes
// there with its first region. Where a thread may use fewer processors than the program began with, it has been put there, by the
// program or by inheriting them from the thread that made it: on those of a place it begins at that place, on others it stays, and
// neither it nor its teams are bound.
#pragma once

#include "openmp/core/team.hpp"

namespace weir::openmp {

/// Are threads bound, or shown? Where not, nothing else here needs to be called.
extern constinit bool affinity_matters;

/// Those of the settings: none where threads are not bound.
inline const std::vector<std::vector<int>>& places() { return initial_settings().places; }

/// omp_get_proc_bind: how a region is bound that this thread opens.
bind binding_of_next(const member& me);
/// The proc_bind clause of the region that this thread opens next: a number of omp_proc_bind_t, in the lowest bits of what the
/// compiler passes.
void ask_binding(unsigned how);
inline void heed_binding(unsigned flags) {
  if (affinity_matters) ask_binding(flags & 7);
}

/// Of a thread that is in no region yet.
seat first_seat();
/// Gives the members of a team their seats; the caller has opened the region, and goes to its own.
void seat_team(team& t, member& parent);
/// The caller, another member, goes to its own.
void take_seat(const member& me);

}  // namespace weir::openmp
