// The routines of the OpenMP API for leagues.
#include "openmp/forking/league.hpp"
#include "openmp/routines/forms.hpp"

using namespace weir::openmp;

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
