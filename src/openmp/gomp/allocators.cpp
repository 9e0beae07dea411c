// The allocate clause and the allocators directive as GCC compiles them.
#include "openmp/memory/allocators.hpp"

#include <mutex>
#include <unordered_set>

#include <pthread.h>

#include "openmp/support/stop.hpp"
#include "system/fork_page.hpp"
#include "system/kernel_mutex.hpp"

using namespace weir::openmp;

namespace {

WEIR_WRITTEN_BY_FORKS constinit weir::kernel_mutex changing;
WEIR_RUN_BY_FORKS void before_fork() { changing.lock(); }
WEIR_RUN_BY_FORKS void after_fork() { changing.unlock(); }

/// The allocatable variables of Fortran whose memory comes from an allocator. The deallocate statement asks for them, because an
/// assignment may also have allocated the variable.
class known_allocations {
 public:
  void add(void* memory) {
    const std::lock_guard guard(changing);
    allocated_.insert(memory);
  }
  bool remove(void* memory) {
    const std::lock_guard guard(changing);
    return allocated_.erase(memory) != 0;
  }

 private:
  std::unordered_set<void*> allocated_;
};
known_allocations* known = nullptr;  // never deleted: exit handlers may deallocate

[[gnu::constructor]] void when_loaded() {
  known = new known_allocations;
  pthread_atfork(before_fork, after_fork, after_fork);
}

}  // namespace

extern "C" {

// The program's code does not check whether the allocation succeeded.
void* GOMP_alloc(std::size_t alignment, std::size_t bytes, allocator_handle from) {
  void* const memory = allocate(alignment, bytes != 0 ? bytes : 1, from);
  if (memory != nullptr) return memory;
  stop("an allocator has no %zu bytes for a variable", bytes);
}
void GOMP_free(void* memory, allocator_handle) { release(memory); }

void GOMP_add_alloc(void* memory) {
  if (memory != nullptr) known->add(memory);
}
/// After this call the variable has no memory, or other memory.
bool GOMP_is_alloc(void* memory) { return known->remove(memory); }

}  // extern "C"
