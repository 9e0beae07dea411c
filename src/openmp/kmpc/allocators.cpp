// The allocate clause and directive as Clang compiles them.
#include "openmp/memory/allocators.hpp"

using namespace weir::openmp;

using bytes_of = std::size_t;
using handle = allocator_handle;

extern "C" {

void* __kmpc_alloc(int, bytes_of bytes, handle h) { return allocate(1, bytes, h); }
void* __kmpc_aligned_alloc(int, bytes_of alignment, bytes_of bytes, handle h) { return allocate(alignment, bytes, h); }
void* __kmpc_calloc(int, bytes_of count, bytes_of bytes, handle h) { return allocate(1, count, bytes, h); }
void* __kmpc_realloc(int, void* old, bytes_of bytes, handle h, handle of_old) { return reallocate(old, bytes, h, of_old); }
void __kmpc_free(int, void* memory, handle) { release(memory); }
handle __kmpc_init_allocator(int, handle, int count, const allocator_trait* traits) { return make_allocator(count, traits); }
void __kmpc_destroy_allocator(int, handle h) { destroy_allocator(h); }
void __kmpc_set_default_allocator(int, handle h) { set_default_allocator(h); }
handle __kmpc_get_default_allocator(int) { return default_allocator(); }

}  // extern "C"
