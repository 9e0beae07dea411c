// Tasks, as GCC compiles them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <alloca.h>

#include "openmp/gomp/dependences.hpp"
#include "openmp/gomp/task_reduction.hpp"
#include "openmp/tasks/task_group.hpp"

using namespace weir::openmp;

namespace {

using function = void (*)(void*);
using copier = void (*)(void* into, void* from);
using wide = unsigned long long;

// Flags, as the compiler sets them.
constexpr unsigned final_flag = 1u << 1, depends_flag = 1u << 3, counts_up = 1u << 8, no_group = 1u << 11, reduces = 1u << 12,
                   detached_flag = 1u << 13;

void copy_variables(void* own, void* what, copier copy, std::size_t bytes) {
  if (copy != nullptr)
    copy(own, what);
  else
    std::memcpy(own, what, bytes);
}

/// The task's own copy of its variables, on the caller's stack.
#define OWN_COPY(what, copy, size, alignment)                                                                            \
  const auto bytes = static_cast<std::size_t>(size), align = static_cast<std::size_t>(alignment > 0 ? alignment : 1);    \
  const auto room = reinterpret_cast<std::uintptr_t>(alloca(bytes + align));                                             \
  void* const own = reinterpret_cast<void*>((room + align - 1) / align * align);                                         \
  copy_variables(own, what, copy, bytes);

/// The same for a task that may have to wait.
std::shared_ptr<void> kept_copy(void* what, copier copy, long size, long alignment) {
  const std::size_t align = std::max<std::size_t>(static_cast<std::size_t>(alignment), alignof(std::max_align_t));
  const auto bytes = static_cast<std::size_t>(size);
  std::shared_ptr<void> own(std::aligned_alloc(align, (bytes + align) / align * align), std::free);
  if (own == nullptr) std::abort();
  copy_variables(own.get(), what, copy, bytes);
  return own;
}

/// A taskloop as one task: its first two variables are the bounds, the third is what it reduces.
template <class T>
void loop_task(function run, void* what, copier copy, long size, long alignment, unsigned flags, T start, T end, bool any) {
  void* const words = (flags & reduces) != 0 ? static_cast<void**>(what)[2] : nullptr;
  if (!any) {
    if (words != nullptr) nothing_reduced(words);
    return;
  }
  const bool group = (flags & no_group) == 0;
  if (words != nullptr)
    begin_reducing_group(words);
  else if (group)
    begin_task_group(self());
  OWN_COPY(what, copy, size, alignment)
  const T bounds[] = {start, end};
  std::memcpy(own, bounds, sizeof bounds);
  {
    const task_scope scope((flags & final_flag) != 0);
    run(own);
  }
  if (group) end_task_group(self());
}

}  // namespace

extern "C" {

// The handle of a detached task's event is also the first of its variables.
void GOMP_task(function run, void* what, copier copy, long size, long alignment, bool deferrable, unsigned flags,
               void** depend, int, void* detached) {
  member& me = self();
  if (run == nullptr) {  // taskwait depend(...) nowait: an empty task that others may depend on
    if (!nothing_pending(me)) perform(me, dependences_of(depend), false, nullptr, [] {});
    return;
  }
  const bool final = (flags & final_flag) != 0, detaches = (flags & detached_flag) != 0;
  if (nothing_pending(me) && !detaches) {
    OWN_COPY(what, copy, size, alignment)
    const task_scope scope(final);
    run(own);
    return;
  }
  std::shared_ptr<event> until;
  if (detaches) {
    event_handle* const handle = make_event(me);
    until = handle->its;
    *static_cast<event_handle**>(detached) = handle;
    if (what != nullptr) *static_cast<event_handle**>(what) = handle;
  }
  const auto own = kept_copy(what, copy, size, alignment);
  perform(me, (flags & depends_flag) != 0 ? dependences_of(depend) : dependences{}, !deferrable || me.in_final, std::move(until),
          [run, own, final] {
            const task_scope scope(final);
            run(own.get());
          });
}

void GOMP_taskloop(function run, void* what, copier copy, long size, long alignment, unsigned flags, unsigned long, int, long start,
                   long end, long step) {
  loop_task(run, what, copy, size, alignment, flags, start, end, step > 0 ? start < end : start > end);
}
void GOMP_taskloop_ull(function run, void* what, copier copy, long size, long alignment, unsigned flags, unsigned long, int,
                       wide start, wide end, wide) {
  loop_task(run, what, copy, size, alignment, flags, start, end, (flags & counts_up) != 0 ? start < end : start > end);
}

void GOMP_taskwait(void) { finish_children(self()); }
void GOMP_taskwait_depend(void** depend) {
  if (!nothing_pending(self())) finish_before(self(), dependences_of(depend));
}
void GOMP_taskyield(void) {}
void GOMP_taskgroup_start(void) { begin_task_group(self()); }
void GOMP_taskgroup_end(void) { end_task_group(self()); }

}  // extern "C"
