// Other names for the locks of the API, with the place in the source.
#include <cstdint>
#include <new>

#include "openmp/kmpc/interface.hpp"
#include "openmp/support/lock.hpp"
#include "openmp/tasks/nest_lock.hpp"

using namespace weir::openmp;

extern "C" {

void __kmpc_init_lock(source_line*, int, lock* l) { new (l) lock; }
void __kmpc_init_lock_with_hint(source_line*, int, lock* l, std::uintptr_t) { new (l) lock; }
void __kmpc_destroy_lock(source_line*, int, lock*) {}
void __kmpc_set_lock(source_line*, int, lock* l) { l->take(); }
void __kmpc_unset_lock(source_line*, int, lock* l) { l->release(); }
int __kmpc_test_lock(source_line*, int, lock* l) { return l->try_take() ? 1 : 0; }

void __kmpc_init_nest_lock(source_line*, int, nest_lock** l) { *l = new nest_lock; }
void __kmpc_init_nest_lock_with_hint(source_line*, int, nest_lock** l, std::uintptr_t) { *l = new nest_lock; }
void __kmpc_destroy_nest_lock(source_line*, int, nest_lock** l) { delete *l; }
void __kmpc_set_nest_lock(source_line*, int, nest_lock** l) { (*l)->take(); }
void __kmpc_unset_nest_lock(source_line*, int, nest_lock** l) { (*l)->release(); }
int __kmpc_test_nest_lock(source_line*, int, nest_lock** l) { return (*l)->try_take(); }

}  // extern "C"
