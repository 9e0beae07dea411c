// The allocate clause and the allocators directive as GCC compiles them.
#include "openmp/memory/allocators.hpp"

#include <mutex>
#include <unordered_set>

#include <pthread.h>

#include "openmp/support/stop.hpp"

using namespace weir::openmp;

namespace {

/// The allocatable variables of Fortran whose memory comes from an allocator. The deallocate statement asks for them, because an
/// assignment may also have allocated the variable.
class known_allocations {
 public:
  void add(void* memory) {
    const std::lock_guard guard(mutual_);
    all_.insert(memory);
  }
  bool remove(void* memory) {
    const std::lock_guard guard(mutual_);
    return all_.erase(memory) != 0;
  }
  void lock() { mutual_.lock(); }
  void unlock() { mutual_.unlock(); }

 private:
  std::mutex mutual_;
  std::unordered_set<void*> all_;
};
known_allocations* known = nullptr;  // never deleted: exit handlers may deallocate

[[gnu::constructor]] void when_loaded() {
  known = new known_allocations;
  const auto unlock = [] { known->unlock(); };
  pthread_atfork([] { known->lock(); }, unlock, unlock);
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
