// The interface that GCC compiles for: regions, single, synchronisation, errors. What each function is called with is seen in
// the compiler's output (-fdump-tree-ompexp).
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <utility>

#include "openmp/core/affinity.hpp"
#include "openmp/support/lock.hpp"
#include "openmp/support/stop.hpp"
#include "openmp/core/team.hpp"

using namespace weir::openmp;

namespace {

lock unnamed;

/// A message that ends with a zero has the largest length; there need not be one.
int length_of(const char* message, std::size_t length) {
  if (message == nullptr) return 0;
  return static_cast<int>(length == static_cast<std::size_t>(-1) ? std::strlen(message) : length);
}

}  // namespace

extern "C" {

// ---- regions

void GOMP_parallel(region run, void* what, unsigned threads, unsigned flags) {
  heed_binding(flags);
  fork(run, what, threads);
}

// ---- single

bool GOMP_single_start(void) { return takes_single(self()); }

void* GOMP_single_copy_start(void) {
  member& me = self();
  if (takes_single(me)) return nullptr;
  barrier(me);
  return me.of->copied;
}
void GOMP_single_copy_end(void* values) {
  member& me = self();
  me.of->copied = values;
  barrier(me);
}

// ---- barriers and exclusion

void GOMP_barrier(void) { barrier(self()); }
bool GOMP_barrier_cancel(void) {
  barrier(self());
  return false;
}

void GOMP_critical_start(void) { unnamed.take(); }
void GOMP_critical_end(void) { unnamed.release(); }
// The compiler gives each name a pointer that begins as null: as much as a lock needs.
void GOMP_critical_name_start(void** its) { reinterpret_cast<lock*>(its)->take(); }
void GOMP_critical_name_end(void** its) { reinterpret_cast<lock*>(its)->release(); }
void GOMP_atomic_start(void) { atomic_updates.take(); }
void GOMP_atomic_end(void) { atomic_updates.release(); }

// ---- cancellation

bool GOMP_cancel(int, bool) { return false; }
bool GOMP_cancellation_point(int) { return false; }

// ---- code for devices that the program carries: there are none to take it

void GOMP_offload_register(const void*, int, const void*) {}
void GOMP_offload_unregister(const void*, int, const void*) {}
void GOMP_offload_register_ver(unsigned, const void*, int, const void*) {}
void GOMP_offload_unregister_ver(unsigned, const void*, int, const void*) {}

// ---- the error directive, at execution [OpenMP 5.2, 8.5.3]

void GOMP_warning(const char* message, std::size_t length) {
  std::fprintf(stderr, "weir: the program warns: %.*s\n", length_of(message, length), message != nullptr ? message : "");
}
void GOMP_error(const char* message, std::size_t length) {
  end_program("the program ends itself: %.*s", length_of(message, length), message != nullptr ? message : "");
}

}  // extern "C"
