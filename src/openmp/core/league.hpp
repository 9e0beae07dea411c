// Leagues: the teams of a teams region. The teams of a league execute the region one after the other, so a league has as few
// teams as it may: the number asked for, or that of the environment, or one.
#pragma once

#include "openmp/core/team.hpp"

namespace weir::openmp {

/// nteams-var and teams-thread-limit-var [OpenMP 5.2, 2.1], of the whole program; 0: unspecified.
int max_teams();
void set_max_teams(int);
int teams_thread_limit();
void set_teams_thread_limit(int);

/// The control variables of a league's first team; 0: the number, or the limit, is not asked for.
control control_of_league(const control& outer, int teams, int limit);

/// Executes the region with each of its teams.
template <class Run>
void execute_league(int teams, int limit, Run run) {
  member& me = self();
  const control outer = me.icv, first = control_of_league(outer, teams, limit);
  for (int n = 0; n < first.teams; ++n) {
    me.icv = first;
    me.icv.team = n;
    run();
  }
  me.icv = outer;
}

}  // namespace weir::openmp
