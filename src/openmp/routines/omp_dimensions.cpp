// The routines of the OpenMP API for the dimensions of teams and leagues, as GCC's omp.h declares them [OpenMP TR14]. Both have
// one, with number 0; in the others there is one thread or team, with number 0. Fortran calls most of them by their C names.
#include <climits>

#include "openmp/forking/thread_limit.hpp"
#include "openmp/routines/devices.hpp"
#include "openmp/routines/forms.hpp"

using namespace weir::openmp;

namespace {
int in_first(int dimension, int there, int elsewhere) { return dimension == 0 ? there : elsewhere; }
}  // namespace

extern "C" {
int weir_omp_get_num_threads_dim(int dimension) { return in_first(dimension, static_cast<int>(self().of->size), 1); }
int weir_omp_get_thread_num_dim(int dimension) { return in_first(dimension, static_cast<int>(self().number), 0); }
int weir_omp_get_thread_limit_dim(int dimension) { return in_first(dimension, thread_limit(self()), 1); }
int weir_omp_get_num_teams_dim(int dimension) { return in_first(dimension, self().icv.teams, 1); }
int weir_omp_get_team_num_dim(int dimension) { return in_first(dimension, self().icv.team, 0); }

// A device that does not exist supports none.
int weir_omp_get_supported_active_team_dims(int device, bool) { return is_host(device) ? 1 : 0; }
int weir_omp_get_supported_active_team_dims_(const int* device, const int*) { return is_host(*device) ? 1 : 0; }
int weir_omp_get_supported_active_league_dims(int device, bool) { return is_host(device) ? 1 : 0; }
int weir_omp_get_supported_active_league_dims_(const int* device, const int*) { return is_host(*device) ? 1 : 0; }
int weir_omp_get_supported_threads_dim(int device, int dimension) {
  return is_host(device) ? in_first(dimension, static_cast<int>(most_threads), 1) : 0;
}
int weir_omp_get_supported_teams_dim(int device, int dimension) { return is_host(device) ? in_first(dimension, INT_MAX, 1) : 0; }
}

FOUND_IN_BOTH(omp_get_num_teams_dim, "OMP_6.1")
FOUND_IN_BOTH(omp_get_num_threads_dim, "OMP_6.1")
FOUND_IN_BOTH(omp_get_supported_active_league_dims, "OMP_6.1")
FOUND_IN_BOTH(omp_get_supported_active_league_dims_, "OMP_6.1")
FOUND_IN_BOTH(omp_get_supported_active_team_dims, "OMP_6.1")
FOUND_IN_BOTH(omp_get_supported_active_team_dims_, "OMP_6.1")
FOUND_IN_BOTH(omp_get_supported_teams_dim, "OMP_6.1")
FOUND_IN_BOTH(omp_get_supported_threads_dim, "OMP_6.1")
FOUND_IN_BOTH(omp_get_team_num_dim, "OMP_6.1")
FOUND_IN_BOTH(omp_get_thread_limit_dim, "OMP_6.1")
FOUND_IN_BOTH(omp_get_thread_num_dim, "OMP_6.1")
