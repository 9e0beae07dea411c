// LLVM's runtime has separate names for C (ompc) of routines whose Fortran form differs.

extern "C" {

void weir_omp_set_num_threads(int);
void weir_omp_set_dynamic(int);
void weir_omp_set_nested(int);
void weir_omp_set_max_active_levels(int);
void weir_omp_set_schedule(int, int);
int weir_omp_get_ancestor_thread_num(int);
int weir_omp_get_team_size(int);

void ompc_set_num_threads(int threads) { weir_omp_set_num_threads(threads); }
void ompc_set_dynamic(int dynamic) { weir_omp_set_dynamic(dynamic); }
void ompc_set_nested(int nested) { weir_omp_set_nested(nested); }
void ompc_set_max_active_levels(int levels) { weir_omp_set_max_active_levels(levels); }
void ompc_set_schedule(int kind, int chunk) { weir_omp_set_schedule(kind, chunk); }
int ompc_get_ancestor_thread_num(int level) { return weir_omp_get_ancestor_thread_num(level); }
int ompc_get_team_size(int level) { return weir_omp_get_team_size(level); }

}  // extern "C"
