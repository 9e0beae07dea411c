// Tasks, as GCC compiles them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "openmp/gomp/dependences.hpp"
#include "openmp/gomp/task_reduction.hpp"
#include "openmp/tasks/event.hpp"
#include "openmp/tasks/loop_parts.hpp"
#include "openmp/tasks/task.hpp"
#include "openmp/tasks/task_body.hpp"
#include "openmp/tasks/task_group.hpp"
#include "system/guarded_entry.hpp"

using namespace weir::openmp;

namespace {

using function = void (*)(void*);
using copier = void (*)(void* into, void* from);
using wide = unsigned long long;

// Flags, as the compiler sets them.
constexpr unsigned final_flag = 1u << 1, depends_flag = 1u << 3, priority_flag = 1u << 4, counts_up = 1u << 8,
                   grain_flag = 1u << 9, if_flag = 1u << 10, no_group = 1u << 11, reduces = 1u << 12, detached_flag = 1u << 13,
                   strict_flag = 1u << 14;

/// In the task's data, in front of its variables.
struct call {
  function run;
  void* variables;
};

void*& variables_of(task& t) { return static_cast<call*>(t.data())->variables; }

void execute(task& t) {
  const auto [code, variables] = *static_cast<call*>(t.data());
  code(variables);
}
// GCC's code itself ends the lifetime of the task's variables.
void leave_out(task&) {}
using body = task_body<execute, leave_out>;
[[gnu::constructor]] void when_loaded() { body::choose(); }

/// A task with room for its own copy of its variables.
inline task& make_task(member& me, function run, long size, long alignment, unsigned flags) {
  const auto bytes = static_cast<std::size_t>(size), align = static_cast<std::size_t>(std::max(alignment, 1L));
  task& t = new_task(me, sizeof(call) + align + bytes);
  t.final = (flags & final_flag) != 0;
  auto* const stored = static_cast<call*>(t.data());
  const auto room = reinterpret_cast<std::uintptr_t>(stored + 1);
  *stored = {run, reinterpret_cast<void*>((room + align - 1) & ~(align - 1))};  // a power of two
  t.run = body::run;
  return t;
}

void copy_variables(task& t, void* what, copier copy, long size) {
  if (copy != nullptr) {
    copy(variables_of(t), what);
    // The task has objects, which only its own code destroys. So the task is not discarded, which OpenMP allows.
    t.run = execute;
  } else {
    std::memcpy(variables_of(t), what, static_cast<std::size_t>(size));
  }
}

/// A separate function, so that tasks without clauses save no registers. The handle of a detached task's event is also the first
/// of the task's variables.
[[gnu::noinline]] void generate_with_clauses(member& me, function run, void* what, copier copy, long size, long alignment,
                                             bool deferrable, unsigned flags, void** depend, int priority, void* detached) {
  const dependences after = (flags & depends_flag) != 0 ? dependences_of(depend) : dependences{};
  if (run == nullptr) {  // taskwait depend(...) nowait: an empty task that others may depend on
    generate_empty(me, after);
    return;
  }
  task& t = make_task(me, run, size, alignment, flags);
  if ((flags & priority_flag) != 0) set_priority(t, priority);
  if ((flags & detached_flag) != 0) {
    event_handle* const handle = make_event(me, t);
    *static_cast<event_handle**>(detached) = handle;
    if (what != nullptr) *static_cast<event_handle**>(what) = handle;  // before the variables are copied
  }
  copy_variables(t, what, copy, size);
  generate(me, t, !deferrable, after);
}

/// Deals the iterations of a taskloop to tasks. The first two variables of each task are its bounds, the third describes the
/// reductions.
template <class T>
struct task_loop {
  function run;
  void* what;
  copier copy;
  long size, alignment;
  unsigned flags;
  int priority;
  T start, step;
  std::uint64_t trips;

  void generate_tasks(unsigned long count_or_grain, bool deferrable) const {
    void* const words = (flags & reduces) != 0 ? static_cast<void**>(what)[2] : nullptr;
    if (trips == 0) {
      if (words != nullptr) nothing_reduced(words);
      return;
    }
    const bool group = (flags & no_group) == 0;
    member& me = self();
    if (words != nullptr)
      begin_reducing_group(words);
    else if (group)
      begin_task_group(me);
    const loop_parts parts = (flags & grain_flag) != 0 ? loop_parts::by_grain(trips, count_or_grain, (flags & strict_flag) != 0)
                                                       : loop_parts::by_count(trips, count_or_grain, me.of->size);
    T first = start;
    for (std::uint64_t i = 0; i < parts.count; ++i) {
      task& t = make_task(me, run, size, alignment, flags);
      set_priority(t, priority);  // GCC does not set the flag for a taskloop
      copy_variables(t, what, copy, size);
      const T bounds[] = {first, static_cast<T>(first + static_cast<T>(parts.trips(i)) * step)};
      std::memcpy(variables_of(t), bounds, sizeof bounds);
      first = bounds[1];
      generate(me, t, !deferrable);
    }
    if (group) end_task_group(me);
  }
};

}  // namespace

extern "C" {

WEIR_GUARDED(void, GOMP_task, (function run, void* what, copier copy, long size, long alignment, bool deferrable, unsigned flags,
               void** depend, int priority, void* detached)) {
  member& me = self();
  constexpr unsigned clauses = depends_flag | detached_flag | priority_flag;
  if (run == nullptr || (flags & clauses) != 0) [[unlikely]]
    return generate_with_clauses(me, run, what, copy, size, alignment, deferrable, flags, depend, priority, detached);
  task& t = make_task(me, run, size, alignment, flags);
  copy_variables(t, what, copy, size);
  generate(me, t, !deferrable);
}

WEIR_GUARDED(void, GOMP_taskloop,
             (function run, void* what, copier copy, long size, long alignment, unsigned flags, unsigned long count_or_grain,
              int priority, long start, long end, long step)) {
  const bool up = step > 0;
  // As unsigned numbers, because the distance may not fit into a long.
  const wide distance =
      up ? static_cast<wide>(end) - static_cast<wide>(start) : static_cast<wide>(start) - static_cast<wide>(end);
  const wide by = up ? static_cast<wide>(step) : 0 - static_cast<wide>(step);
  const bool any = up ? start < end : start > end;
  task_loop<unsigned long>{run, what, copy, size, alignment, flags, priority, static_cast<unsigned long>(start),
                           static_cast<unsigned long>(step), any ? (distance - 1) / by + 1 : 0}
      .generate_tasks(count_or_grain, (flags & if_flag) != 0);
}
WEIR_GUARDED(void, GOMP_taskloop_ull, (function run, void* what, copier copy, long size, long alignment, unsigned flags,
                       unsigned long count_or_grain, int priority, wide start, wide end, wide step)) {
  const bool up = (flags & counts_up) != 0;
  const wide distance = up ? end - start : start - end, by = up ? step : 0 - step;
  const bool any = up ? start < end : start > end;
  task_loop<wide>{run, what, copy, size, alignment, flags, priority, start, step, any ? (distance - 1) / by + 1 : 0}
      .generate_tasks(count_or_grain, (flags & if_flag) != 0);
}

WEIR_GUARDED(void, GOMP_taskwait, (void)) { finish_children(self()); }
WEIR_GUARDED(void, GOMP_taskwait_depend, (void** depend)) { finish_before(self(), dependences_of(depend)); }
WEIR_GUARDED(void, GOMP_taskwait_depend_nowait, (void** depend)) { generate_empty(self(), dependences_of(depend)); }
WEIR_GUARDED(void, GOMP_taskyield, (void)) { yield_to_task(self()); }
WEIR_GUARDED(void, GOMP_taskgroup_start, (void)) { begin_task_group(self()); }
WEIR_GUARDED(void, GOMP_taskgroup_end, (void)) { end_task_group(self()); }

}  // extern "C"
