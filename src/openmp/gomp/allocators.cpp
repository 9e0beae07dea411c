// The allocate clause as GCC compiles it: the program's code does not ask whether there was memory.
#include "openmp/memory/allocators.hpp"
#include "openmp/support/stop.hpp"

using namespace weir::openmp;

extern "C" {

void* GOMP_alloc(std::size_t alignment, std::size_t bytes, allocator_handle from) {
  void* const memory = allocate(alignment, bytes != 0 ? bytes : 1, from);
  if (memory != nullptr) return memory;
  stop("an allocator has no %zu bytes for a variable", bytes);
}
void GOMP_free(void* memory, allocator_handle) { release(memory); }

}  // extern "C"
