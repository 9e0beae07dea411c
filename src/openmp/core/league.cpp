#include "openmp/core/league.hpp"

#include <algorithm>
#include <atomic>

#include "openmp/routines/forms.hpp"

namespace weir::openmp {

namespace {

// What the routines have said; until then it is as the environment says. relaxed, everywhere: a number that stands for itself.
constexpr int not_said = -1;
constinit std::atomic<int> teams{not_said}, limit{not_said};
int said_or(const std::atomic<int>& routine, int environment) {
  const int said = routine.load(std::memory_order_relaxed);
  return said != not_said ? said : environment;
}

}  // namespace

int max_teams() { return said_or(teams, initial_settings().num_teams); }
void set_max_teams(int n) { teams.store(std::max(n, 0), std::memory_order_relaxed); }
int teams_thread_limit() { return said_or(limit, initial_settings().teams_thread_limit); }
void set_teams_thread_limit(int n) { limit.store(std::max(n, 0), std::memory_order_relaxed); }

control first_of_league(const control& outer, int asked, int most_threads) {
  control c = outer;
  c.team = 0;
  c.teams = asked > 0 ? asked : std::max(max_teams(), 1);
  if (most_threads <= 0) most_threads = teams_thread_limit();
  if (most_threads > 0) c.thread_limit = outer.thread_limit > 0 ? std::min(most_threads, outer.thread_limit) : most_threads;
  return c;
}

}  // namespace weir::openmp

using namespace weir::openmp;

// The program's routines: in C, and in Fortran by reference, of either width.
extern "C" {
int weir_omp_get_max_teams(void) { return max_teams(); }
int weir_omp_get_max_teams_(void) { return max_teams(); }
void weir_omp_set_num_teams(int n) { set_max_teams(n); }
void weir_omp_set_num_teams_(const int* n) { set_max_teams(*n); }
void weir_omp_set_num_teams_8_(const long* n) { set_max_teams(narrow(*n)); }
int weir_omp_get_teams_thread_limit(void) { return teams_thread_limit(); }
int weir_omp_get_teams_thread_limit_(void) { return teams_thread_limit(); }
void weir_omp_set_teams_thread_limit(int n) { set_teams_thread_limit(n); }
void weir_omp_set_teams_thread_limit_(const int* n) { set_teams_thread_limit(*n); }
void weir_omp_set_teams_thread_limit_8_(const long* n) { set_teams_thread_limit(narrow(*n)); }
int weir_omp_get_num_teams(void) { return self().icv.teams; }
int weir_omp_get_num_teams_(void) { return self().icv.teams; }
int weir_omp_get_team_num(void) { return self().icv.team; }
int weir_omp_get_team_num_(void) { return self().icv.team; }
}

FOUND_IN_BOTH(omp_get_max_teams, "OMP_5.1")
FOUND_IN_BOTH(omp_get_max_teams_, "OMP_5.1")
FOUND_IN_BOTH(omp_get_num_teams, "OMP_4.0")
FOUND_IN_BOTH(omp_get_num_teams_, "OMP_4.0")
FOUND_IN_BOTH(omp_get_team_num, "OMP_4.0")
FOUND_IN_BOTH(omp_get_team_num_, "OMP_4.0")
FOUND_IN_BOTH(omp_get_teams_thread_limit, "OMP_5.1")
FOUND_IN_BOTH(omp_get_teams_thread_limit_, "OMP_5.1")
FOUND_IN_BOTH(omp_set_num_teams, "OMP_5.1")
FOUND_IN_BOTH(omp_set_num_teams_, "OMP_5.1")
FOUND_IN_BOTH(omp_set_num_teams_8_, "OMP_5.1")
FOUND_IN_BOTH(omp_set_teams_thread_limit, "OMP_5.1")
FOUND_IN_BOTH(omp_set_teams_thread_limit_, "OMP_5.1")
FOUND_IN_BOTH(omp_set_teams_thread_limit_8_, "OMP_5.1")
