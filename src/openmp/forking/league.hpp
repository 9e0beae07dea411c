// Leagues: the teams of a teams region. A league has as few teams as allowed: the number that the program asks for, or that of
// the environment, or one. As many teams execute at the same time as the processors have room for their threads.
#pragma once

#include "openmp/forking/region.hpp"

namespace weir::openmp {

/// nteams-var and teams-thread-limit-var [OpenMP 5.2, 2.1], of the whole program; 0: unspecified.
int max_teams();
void set_max_teams(int);
int teams_thread_limit();
void set_teams_thread_limit(int);

/// The control variables of a league's first team; 0: the number, or the limit, is not asked for.
control control_of_league(const control& outer, int teams, int limit);

/// Executes the region, `run(what)`, with each of its teams.
void execute_league(int teams, int limit, region run, void* what);

}  // namespace weir::openmp
