// The routines of the OpenMP API for locks.
#include <new>

#include "openmp/routines/forms.hpp"
#include "openmp/support/program_lock.hpp"
#include "openmp/tasks/nest_lock.hpp"

using namespace weir::openmp;

extern "C" {

void weir_omp_init_lock(program_lock* l) { new (l) program_lock; }
void weir_omp_destroy_lock(program_lock* l) { l->destroy(); }
void weir_omp_set_lock(program_lock* l) { l->set(); }
void weir_omp_unset_lock(program_lock* l) { l->unset(); }
int weir_omp_test_lock(program_lock* l) { return l->test() ? 1 : 0; }
void weir_omp_init_lock_with_hint(program_lock* l, int) { new (l) program_lock; }

void weir_omp_init_nest_lock(nest_lock** l) { *l = new nest_lock; }
void weir_omp_init_nest_lock_with_hint(nest_lock** l, int) { *l = new nest_lock; }
void weir_omp_destroy_nest_lock(nest_lock** l) { nest_lock::destroy(l); }
void weir_omp_set_nest_lock(nest_lock** l) { nest_lock::of_program(l, "omp_set_nest_lock").take(); }
void weir_omp_unset_nest_lock(nest_lock** l) { nest_lock::of_program(l, "omp_unset_nest_lock").release(); }
int weir_omp_test_nest_lock(nest_lock** l) { return nest_lock::of_program(l, "omp_test_nest_lock").try_take(); }

// The forms for Fortran.
void weir_omp_init_lock_(program_lock* l) { weir_omp_init_lock(l); }
void weir_omp_init_lock_with_hint_(program_lock* l, const int*) { weir_omp_init_lock(l); }
void weir_omp_destroy_lock_(program_lock* l) { l->destroy(); }
void weir_omp_set_lock_(program_lock* l) { l->set(); }
void weir_omp_unset_lock_(program_lock* l) { l->unset(); }
int weir_omp_test_lock_(program_lock* l) { return weir_omp_test_lock(l); }
void weir_omp_init_nest_lock_(nest_lock** l) { weir_omp_init_nest_lock(l); }
void weir_omp_init_nest_lock_with_hint_(nest_lock** l, const int*) { weir_omp_init_nest_lock(l); }
void weir_omp_destroy_nest_lock_(nest_lock** l) { weir_omp_destroy_nest_lock(l); }
void weir_omp_set_nest_lock_(nest_lock** l) { weir_omp_set_nest_lock(l); }
void weir_omp_unset_nest_lock_(nest_lock** l) { weir_omp_unset_nest_lock(l); }
int weir_omp_test_nest_lock_(nest_lock** l) { return weir_omp_test_nest_lock(l); }

}  // extern "C"

FOUND_IN_BOTH(omp_destroy_lock, "OMP_1.0")
FOUND_AS(omp_destroy_lock, "@OMP_3.0")
FOUND_IN_BOTH(omp_destroy_lock_, "OMP_1.0")
FOUND_AS(omp_destroy_lock_, "@OMP_3.0")
FOUND_IN_BOTH(omp_destroy_nest_lock, "OMP_1.0")
FOUND_AS(omp_destroy_nest_lock, "@OMP_3.0")
FOUND_IN_BOTH(omp_destroy_nest_lock_, "OMP_1.0")
FOUND_AS(omp_destroy_nest_lock_, "@OMP_3.0")
FOUND_IN_BOTH(omp_init_lock, "OMP_1.0")
FOUND_AS(omp_init_lock, "@OMP_3.0")
FOUND_IN_BOTH(omp_init_lock_, "OMP_1.0")
FOUND_AS(omp_init_lock_, "@OMP_3.0")
FOUND_AS(omp_init_lock_with_hint, "@@VERSION")
FOUND_AS(omp_init_lock_with_hint_, "@@VERSION")
FOUND_IN_BOTH(omp_init_nest_lock, "OMP_1.0")
FOUND_AS(omp_init_nest_lock, "@OMP_3.0")
FOUND_IN_BOTH(omp_init_nest_lock_, "OMP_1.0")
FOUND_AS(omp_init_nest_lock_, "@OMP_3.0")
FOUND_AS(omp_init_nest_lock_with_hint, "@@VERSION")
FOUND_AS(omp_init_nest_lock_with_hint_, "@@VERSION")
FOUND_IN_BOTH(omp_set_lock, "OMP_1.0")
FOUND_AS(omp_set_lock, "@OMP_3.0")
FOUND_IN_BOTH(omp_set_lock_, "OMP_1.0")
FOUND_AS(omp_set_lock_, "@OMP_3.0")
FOUND_IN_BOTH(omp_set_nest_lock, "OMP_1.0")
FOUND_AS(omp_set_nest_lock, "@OMP_3.0")
FOUND_IN_BOTH(omp_set_nest_lock_, "OMP_1.0")
FOUND_AS(omp_set_nest_lock_, "@OMP_3.0")
FOUND_IN_BOTH(omp_test_lock, "OMP_1.0")
FOUND_AS(omp_test_lock, "@OMP_3.0")
FOUND_IN_BOTH(omp_test_lock_, "OMP_1.0")
FOUND_AS(omp_test_lock_, "@OMP_3.0")
FOUND_IN_BOTH(omp_test_nest_lock, "OMP_1.0")
FOUND_AS(omp_test_nest_lock, "@OMP_3.0")
FOUND_IN_BOTH(omp_test_nest_lock_, "OMP_1.0")
FOUND_AS(omp_test_nest_lock_, "@OMP_3.0")
FOUND_IN_BOTH(omp_unset_lock, "OMP_1.0")
FOUND_AS(omp_unset_lock, "@OMP_3.0")
FOUND_IN_BOTH(omp_unset_lock_, "OMP_1.0")
FOUND_AS(omp_unset_lock_, "@OMP_3.0")
FOUND_IN_BOTH(omp_unset_nest_lock, "OMP_1.0")
FOUND_AS(omp_unset_nest_lock, "@OMP_3.0")
FOUND_IN_BOTH(omp_unset_nest_lock_, "OMP_1.0")
FOUND_AS(omp_unset_nest_lock_, "@OMP_3.0")
