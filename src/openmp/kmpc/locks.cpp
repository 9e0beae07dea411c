// Other names for the locks of the API, with the place in the source.
#include <cstdint>
#include <new>

#include "openmp/kmpc/interface.hpp"
#include "openmp/support/program_lock.hpp"
#include "openmp/tasks/nest_lock.hpp"

using namespace weir::openmp;

extern "C" {

void __kmpc_init_lock(source_line*, int, program_lock* l) { new (l) program_lock; }
void __kmpc_init_lock_with_hint(source_line*, int, program_lock* l, std::uintptr_t) { new (l) program_lock; }
void __kmpc_destroy_lock(source_line*, int, program_lock* l) { l->destroy(); }
void __kmpc_set_lock(source_line*, int, program_lock* l) { l->set(); }
void __kmpc_unset_lock(source_line*, int, program_lock* l) { l->unset(); }
int __kmpc_test_lock(source_line*, int, program_lock* l) { return l->test() ? 1 : 0; }

void __kmpc_init_nest_lock(source_line*, int, nest_lock** l) { *l = new nest_lock; }
void __kmpc_init_nest_lock_with_hint(source_line*, int, nest_lock** l, std::uintptr_t) { *l = new nest_lock; }
void __kmpc_destroy_nest_lock(source_line*, int, nest_lock** l) { nest_lock::destroy(l); }
void __kmpc_set_nest_lock(source_line*, int, nest_lock** l) { nest_lock::of_program(l, "omp_set_nest_lock").take(); }
void __kmpc_unset_nest_lock(source_line*, int, nest_lock** l) { nest_lock::of_program(l, "omp_unset_nest_lock").release(); }
int __kmpc_test_nest_lock(source_line*, int, nest_lock** l) { return nest_lock::of_program(l, "omp_test_nest_lock").try_take(); }

}  // extern "C"
