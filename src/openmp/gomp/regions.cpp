// Regions, single, synchronization and errors, as GCC compiles them. The arguments of each function are visible in the compiler's
// output (-fdump-tree-ompexp).
#include <cstddef>
#include <cstring>

#include "openmp/forking/barrier.hpp"
#include "openmp/forking/region.hpp"
#include "openmp/gomp/flags.hpp"
#include "openmp/placing/team_binding.hpp"
#include "openmp/support/lock.hpp"
#include "openmp/support/stop.hpp"
#include "openmp/worksharing/single.hpp"

using namespace weir::openmp;

namespace {

lock unnamed;

cancellable construct_of(int which) {
  enum : int { parallel = 1, task_group = 8 };  // loops are 2, sections 4
  return which == parallel ? cancellable::region : which == task_group ? cancellable::task_group : cancellable::worksharing;
}

/// A message that ends with a zero is given the largest length; the message may also be missing.
int length_of(const char* message, std::size_t length) {
  if (message == nullptr) return 0;
  return static_cast<int>(length == static_cast<std::size_t>(-1) ? std::strlen(message) : length);
}

}  // namespace

extern "C" {

// ---- regions

void GOMP_parallel(region run, void* what, unsigned threads, unsigned flags) {
  request_proc_bind(proc_bind_in(flags));
  fork(run, what, threads, reinterpret_cast<const void*>(run));
}

// ---- single

bool GOMP_single_start(void) { return takes_single(self()); }

void* GOMP_single_copy_start(void) {
  member& me = self();
  return takes_single(me) ? nullptr : copyprivate(me, nullptr);
}
void GOMP_single_copy_end(void* values) { copyprivate(self(), values); }

// ---- barriers and exclusion

void GOMP_barrier(void) { barrier(self()); }
bool GOMP_barrier_cancel(void) { return barrier_in_cancellable(self()); }

void GOMP_critical_start(void) { unnamed.take(&waits::critical); }
void GOMP_critical_end(void) { unnamed.release(); }
// The compiler gives each name a pointer that is null at first: enough for a lock.
void GOMP_critical_name_start(void** lock_word) { reinterpret_cast<lock*>(lock_word)->take(&waits::critical); }
void GOMP_critical_name_end(void** lock_word) { reinterpret_cast<lock*>(lock_word)->release(); }
void GOMP_atomic_start(void) { atomic_updates.take(&waits::atomic); }
void GOMP_atomic_end(void) { atomic_updates.release(); }

// ---- cancellation

bool GOMP_cancellation_point(int which) { return meets_cancellation(self(), construct_of(which)); }
bool GOMP_cancel(int which, bool condition) {
  return condition ? cancel(self(), construct_of(which)) : GOMP_cancellation_point(which);
}

// ---- code for devices that the program contains: there are no devices

void GOMP_offload_register(const void*, int, const void*) {}
void GOMP_offload_unregister(const void*, int, const void*) {}
void GOMP_offload_register_ver(unsigned, const void*, int, const void*) {}
void GOMP_offload_unregister_ver(unsigned, const void*, int, const void*) {}

// ---- the error directive, at execution

void GOMP_warning(const char* message, std::size_t length) {
  warn_for_program(nullptr, message != nullptr ? message : "", length_of(message, length));
}
void GOMP_error(const char* message, std::size_t length) {
  end_for_program(nullptr, message != nullptr ? message : "", length_of(message, length));
}

}  // extern "C"
