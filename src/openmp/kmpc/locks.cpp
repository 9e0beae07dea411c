// LLVM's other names for the API's locks, which say where in the source they are asked for.
#include <cstdint>

namespace {
struct place;
}

extern "C" {

#define LOCK(name)                                                        \
  void weir_omp_init_##name(void*);                                       \
  void weir_omp_destroy_##name(void*);                                    \
  void weir_omp_set_##name(void*);                                        \
  void weir_omp_unset_##name(void*);                                      \
  int weir_omp_test_##name(void*);                                        \
  void __kmpc_init_##name(place*, int, void* l) { weir_omp_init_##name(l); } \
  void __kmpc_init_##name##_with_hint(place*, int, void* l, std::uintptr_t) { weir_omp_init_##name(l); } \
  void __kmpc_destroy_##name(place*, int, void* l) { weir_omp_destroy_##name(l); } \
  void __kmpc_set_##name(place*, int, void* l) { weir_omp_set_##name(l); } \
  void __kmpc_unset_##name(place*, int, void* l) { weir_omp_unset_##name(l); } \
  int __kmpc_test_##name(place*, int, void* l) { return weir_omp_test_##name(l); }
LOCK(lock)
LOCK(nest_lock)
#undef LOCK

}  // extern "C"
