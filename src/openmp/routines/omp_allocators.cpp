// The routines of the OpenMP API for allocators and memory.
#include "openmp/memory/allocators.hpp"
#include "openmp/routines/forms.hpp"

using namespace weir::openmp;

using bytes_of = std::size_t;
using handle = allocator_handle;

extern "C" {

// LLVM's omp.h has constants, and declares these variables for some systems, so LLVM's library has them.
extern const handle omp_null_allocator = 0, omp_default_mem_alloc = 1, omp_large_cap_mem_alloc = 2, omp_const_mem_alloc = 3,
                    omp_high_bw_mem_alloc = 4, omp_low_lat_mem_alloc = 5, omp_cgroup_mem_alloc = 6, omp_pteam_mem_alloc = 7,
                    omp_thread_mem_alloc = 8;
extern const handle omp_default_mem_space = 0, omp_large_cap_mem_space = 1, omp_const_mem_space = 2, omp_high_bw_mem_space = 3,
                    omp_low_lat_mem_space = 4;

handle weir_omp_init_allocator(handle, int count, const allocator_trait* traits) { return make_allocator(count, traits); }
handle weir_omp_init_allocator_(const handle*, const int* count, const allocator_trait* traits) {
  return make_allocator(*count, traits);
}
handle weir_omp_init_allocator_8_(const handle*, const long* count, const allocator_trait* traits) {
  return make_allocator(narrow(*count), traits);
}
void weir_omp_destroy_allocator(handle h) { destroy_allocator(h); }
void weir_omp_destroy_allocator_(const handle* h) { destroy_allocator(*h); }
void weir_omp_set_default_allocator(handle h) { set_default_allocator(h); }
void weir_omp_set_default_allocator_(const handle* h) { set_default_allocator(*h); }
handle weir_omp_get_default_allocator(void) { return default_allocator(); }
handle weir_omp_get_default_allocator_(void) { return default_allocator(); }

void* weir_omp_alloc(bytes_of bytes, handle h) { return allocate(1, bytes, h); }
void* weir_omp_aligned_alloc(bytes_of alignment, bytes_of bytes, handle h) { return allocate(alignment, bytes, h); }
void* weir_omp_calloc(bytes_of count, bytes_of bytes, handle h) { return allocate(1, count, bytes, h); }
void* weir_omp_aligned_calloc(bytes_of alignment, bytes_of count, bytes_of bytes, handle h) {
  return allocate(alignment, count, bytes, h);
}
void* weir_omp_realloc(void* old, bytes_of bytes, handle h, handle of_old) { return reallocate(old, bytes, h, of_old); }
void weir_omp_free(void* memory, handle) { release(memory); }

}  // extern "C"

FOUND_IN_BOTH(omp_aligned_alloc, "OMP_5.0.2")
FOUND_IN_BOTH(omp_aligned_calloc, "OMP_5.0.2")
FOUND_IN_BOTH(omp_alloc, "OMP_5.0.1")
FOUND_IN_BOTH(omp_calloc, "OMP_5.0.2")
FOUND_IN_BOTH(omp_destroy_allocator, "OMP_5.0.1")
FOUND_IN_BOTH(omp_destroy_allocator_, "OMP_5.0.1")
FOUND_IN_BOTH(omp_free, "OMP_5.0.1")
FOUND_IN_BOTH(omp_get_default_allocator, "OMP_5.0.1")
FOUND_IN_BOTH(omp_get_default_allocator_, "OMP_5.0.1")
FOUND_IN_BOTH(omp_init_allocator, "OMP_5.0.1")
FOUND_IN_BOTH(omp_init_allocator_, "OMP_5.0.1")
FOUND_IN_BOTH(omp_init_allocator_8_, "OMP_5.0.1")
FOUND_IN_BOTH(omp_realloc, "OMP_5.0.2")
FOUND_IN_BOTH(omp_set_default_allocator, "OMP_5.0.1")
FOUND_IN_BOTH(omp_set_default_allocator_, "OMP_5.0.1")
