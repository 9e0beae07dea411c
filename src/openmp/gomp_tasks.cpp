// Tasks as GCC compiles them. They are executed at once, by who creates them.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <alloca.h>

namespace {

using function = void (*)(void*);
using copier = void (*)(void* into, void* from);
using wide = unsigned long long;

constexpr unsigned counts_up = 1u << 8;  // a taskloop's flag

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

void GOMP_task(function run, void* what, copier copy, long size, long alignment, bool, unsigned, void**, int, void*) {
  OWN_COPY(what, copy, size, alignment)
  run(own);
}

// One task for the whole loop; its bounds are the first two of its variables.
void GOMP_taskloop(function run, void* what, copier copy, long size, long alignment, unsigned, unsigned long, int, long start,
                   long end, long step) {
  if (step > 0 ? start >= end : start <= end) return;
  OWN_COPY(what, copy, size, alignment)
  const long bounds[] = {start, end};
  std::memcpy(own, bounds, sizeof bounds);
  run(own);
}
void GOMP_taskloop_ull(function run, void* what, copier copy, long size, long alignment, unsigned flags, unsigned long, int,
                       wide start, wide end, wide) {
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
