// Tasks as GCC compiles them. They are executed at once, by who creates them.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <alloca.h>

#include "task.hpp"

namespace {

using function = void (*)(void*);
using copier = void (*)(void* into, void* from);
using wide = unsigned long long;

// Flags, as the compiler sets them.
constexpr unsigned final_flag = 1u << 1, counts_up = 1u << 8, reduces = 1u << 12;

void refuse_reductions(unsigned flags) {
  if ((flags & reduces) == 0) return;
  std::fputs("weir: reductions by tasks are not supported yet\n", stderr);
  std::abort();
}

/// The task's own copy of its variables, on the caller's stack.
#define OWN_COPY(what, copy, size, alignment)                                                                            \
  const auto bytes = static_cast<std::size_t>(size), align = static_cast<std::size_t>(alignment > 0 ? alignment : 1);    \
  const auto room = reinterpret_cast<std::uintptr_t>(alloca(bytes + align));                                             \
  void* const own = reinterpret_cast<void*>((room + align - 1) / align * align);                                         \
  if (copy != nullptr)                                                                                                   \
    copy(own, what);                                                                                                     \
  else                                                                                                                   \
    std::memcpy(own, what, bytes);

}  // namespace

extern "C" {

void GOMP_task(function run, void* what, copier copy, long size, long alignment, bool, unsigned flags, void**, int, void*) {
  OWN_COPY(what, copy, size, alignment)
  const weir::openmp::final_task scope((flags & final_flag) != 0);
  run(own);
}

// One task for the whole loop; its bounds are the first two of its variables.
void GOMP_taskloop(function run, void* what, copier copy, long size, long alignment, unsigned flags, unsigned long, int, long start,
                   long end, long step) {
  refuse_reductions(flags);
  if (step > 0 ? start >= end : start <= end) return;
  OWN_COPY(what, copy, size, alignment)
  const long bounds[] = {start, end};
  std::memcpy(own, bounds, sizeof bounds);
  run(own);
}
void GOMP_taskloop_ull(function run, void* what, copier copy, long size, long alignment, unsigned flags, unsigned long, int,
                       wide start, wide end, wide) {
  refuse_reductions(flags);
  if ((flags & counts_up) != 0 ? start >= end : start <= end) return;
  OWN_COPY(what, copy, size, alignment)
  const wide bounds[] = {start, end};
  std::memcpy(own, bounds, sizeof bounds);
  run(own);
}

void GOMP_taskwait(void) {}
void GOMP_taskwait_depend(void**) {}
void GOMP_taskyield(void) {}
void GOMP_taskgroup_start(void) {}
void GOMP_taskgroup_end(void) {}

}  // extern "C"
