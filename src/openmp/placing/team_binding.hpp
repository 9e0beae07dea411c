// The binding of a team's members to places, and where OMP_DISPLAY_AFFINITY shows it.
//
// The program's first thread begins at the first place, other threads of the program at the following places in turn; each moves
// there with its first region. A thread may have fewer processors than the program began with, because the program has bound it,
// or because a bound thread created it. If these are exactly the processors of a place, the thread begins at that place.
// Otherwise it stays where it is, and neither the thread nor its teams are bound.
#pragma once

#include "openmp/settings/in_force.hpp"
#include "openmp/settings/initial.hpp"
#include "openmp/teams/team.hpp"

namespace weir::openmp {

/// The places of the settings: none if threads are not bound.
inline const std::vector<std::vector<int>>& places() { return initial_settings().places; }

/// omp_get_proc_bind: the binding of the next region that this thread encounters.
bind binding_of_next(const member& me);
/// The proc_bind clause of the next region that this thread encounters: a value of omp_proc_bind_t.
void keep_proc_bind(unsigned how);
inline void request_proc_bind(unsigned how) {
  if (affinity_matters()) keep_proc_bind(how);
}

/// The binding of a thread that is in no region yet.
thread_binding initial_binding();
/// Binds the members of a team: the caller, which has encountered the region as `parent`, moves to its place.
void bind_team(team& t, member& parent);
/// The caller has left a region that it encountered as `parent`: after an outermost one KMP_AFFINITY=reset frees it.
void leave_place(const member& parent);
/// The caller, which is to be another member, moves to that member's place.
void move_to_place(const team& t, unsigned number);
/// It is there.
void bind_member(member& me);

}  // namespace weir::openmp
