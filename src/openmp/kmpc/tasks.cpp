// Tasks, as Clang compiles them.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "openmp/kmpc/interface.hpp"
#include "openmp/settings/initial.hpp"
#include "openmp/tasks/pending_tasks.hpp"
#include "openmp/tasks/task_group.hpp"

using namespace weir::openmp;

namespace {
struct task;
using routine = int (*)(int global, task*);

// The fields that the compiler's code accesses; the task's private variables follow.
struct task {
  void* shared;
  routine run;
  std::int32_t part;
  union extra {
    std::int32_t priority;
    routine destroy;
  } destructors, priority;
};

/// Of a detached task: its event, and what it depends on if the program's code says that before the task begins.
struct detachment {
  std::shared_ptr<event> until;
  dependences after = {};
};

// What the runtime keeps of a task, in front of it. The compiler takes a task to be aligned as LLVM's runtime aligns it, to a
// line: its private variables may be vectors.
constexpr std::size_t alignment = 64;
struct alignas(alignment) hidden {
  std::size_t bytes = 0;
  bool has_destructors = false, final = false, runs = false, has_more = false;
  std::unique_ptr<detachment> detached = nullptr;
  std::optional<task_scope> scope = std::nullopt;  // of a task that the compiler's code calls itself
};
constexpr int final_flag = 2, destructors_flag = 8;

struct listed {
  std::uintptr_t at;
  std::size_t bytes;
  std::uint8_t kind;
};

char* allocate(std::size_t bytes) {
  auto* const memory = static_cast<char*>(std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment));
  if (memory == nullptr) std::abort();
  return memory;
}

/// In memory that holds the bytes of the task itself already.
task* task_in(char* memory, std::size_t bytes, bool has_destructors, bool final) {
  new (memory) hidden{.bytes = bytes, .has_destructors = has_destructors, .final = final};
  return reinterpret_cast<task*>(memory + sizeof(hidden));
}

hidden& before(task* t) { return *reinterpret_cast<hidden*>(reinterpret_cast<char*>(t) - sizeof(hidden)); }

void free_task(task* t) {
  hidden& its = before(t);
  if (its.has_destructors && t->destructors.destroy != nullptr) t->destructors.destroy(global_thread_number(), t);
  its.~hidden();
  std::free(&its);
}

/// The remaining parts of an untied task: after each but the last it asks to be executed again.
void execute_rest(task* t) {
  hidden& its = before(t);
  while (std::exchange(its.has_more, false)) t->run(global_thread_number(), t);
}

void execute(task* t) {
  hidden& its = before(t);
  its.runs = its.has_more = true;
  {
    const task_scope scope(its.final);
    execute_rest(t);
  }
  free_task(t);
}

void append(dependences& list, int count, const listed* its) {
  enum : std::uint8_t { in = 1, in_out_set = 8, all = 0x80 };
  for (int i = 0; i < count; ++i) {
    const std::uint8_t kind = its[i].kind;
    list.push_back({(kind & all) != 0 ? all_memory : its[i].at,
                    kind == in ? dependence::in : kind == in_out_set ? dependence::in_out_set : dependence::out});
  }
}

dependences list_of(int count, const listed* its, int more, const listed* others) {
  dependences list;
  append(list, count, its);
  append(list, more, others);
  return list;
}

/// A detached task that has not begun. For an undeferred one the compiler's code gives the dependences before it begins the
/// task, as if for a taskwait; tasks that depend on it wait for its event.
thread_local task* announced = nullptr;

void begin(task* t, int count, const listed* its, int more, const listed* others) {
  hidden& h = before(t);
  if (h.runs) {
    h.has_more = true;
    return;
  }
  member& me = self();
  if (nothing_pending(me)) {
    execute(t);
    return;
  }
  announced = nullptr;
  perform(me, list_of(count, its, more, others), me.in_final, h.detached != nullptr ? h.detached->until : nullptr,
          [t] { execute(t); });
}

void wait_before(int count, const listed* its, int more, const listed* others) {
  member& me = self();
  if (nothing_pending(me)) return;
  dependences list = list_of(count, its, more, others);
  finish_before(me, list);
  if (announced != nullptr) before(announced).detached->after = std::move(list);
}

}  // namespace

extern "C" {

task* __kmpc_omp_task_alloc(source_line*, int, int flags, std::size_t bytes, std::size_t shared_bytes, routine run) {
  const std::size_t own = (bytes + 15) / 16 * 16;
  const std::size_t all = sizeof(hidden) + own + shared_bytes;
  char* const memory = allocate(all);
  std::memset(memory, 0, all);
  task* const t = task_in(memory, all, (flags & destructors_flag) != 0, (flags & final_flag) != 0);
  t->shared = shared_bytes != 0 ? memory + sizeof(hidden) + own : nullptr;
  t->run = run != nullptr ? run : [](int, task*) { return 0; };
  return t;
}
// There is no device: the task executes the region on the host.
task* __kmpc_omp_target_task_alloc(source_line* p, int global, int flags, std::size_t bytes, std::size_t shared_bytes,
                                   routine run, std::int64_t) {
  return __kmpc_omp_task_alloc(p, global, flags, bytes, shared_bytes, run);
}
// The affinity clause is a hint.
int __kmpc_omp_reg_task_with_affinity(source_line*, int, task*, int, void*) { return 0; }

int __kmpc_omp_task(source_line*, int, task* t) {
  begin(t, 0, nullptr, 0, nullptr);
  return 0;
}
int __kmpc_omp_task_parts(source_line*, int, task* t) {
  begin(t, 0, nullptr, 0, nullptr);
  return 0;
}
int __kmpc_omp_task_with_deps(source_line*, int, task* t, int count, const listed* its, int more, const listed* others) {
  begin(t, count, its, more, others);
  return 0;
}
// Undeferred: the compiler's code calls the routine itself, for the first part.
void __kmpc_omp_task_begin_if0(source_line*, int, task* t) {
  hidden& h = before(t);
  announced = nullptr;
  h.runs = true;
  h.scope.emplace(h.final);
}
void __kmpc_omp_task_complete_if0(source_line*, int, task* t) {
  hidden& h = before(t);
  execute_rest(t);
  h.scope.reset();
  if (h.detached != nullptr) complete_later(self(), std::move(h.detached->after), h.detached->until);
  free_task(t);
}
void __kmpc_omp_wait_deps(source_line*, int, int count, const listed* its, int more, const listed* others) {
  wait_before(count, its, more, others);
}
void __kmpc_omp_taskwait_deps_51(source_line*, int, int count, const listed* its, int more, const listed* others,
                                 int nowait) {
  member& me = self();
  if (nowait == 0)
    wait_before(count, its, more, others);
  else if (!nothing_pending(me))  // an empty task that others may depend on
    perform(me, list_of(count, its, more, others), false, nullptr, [] {});
}
int __kmpc_omp_taskwait(source_line*, int) {
  finish_children(self());
  return 0;
}
int __kmpc_omp_taskyield(source_line*, int, int) { return 0; }
void __kmpc_taskgroup(source_line*, int) { begin_task_group(self()); }
void __kmpc_end_taskgroup(source_line*, int) { end_task_group(self()); }

event_handle* __kmpc_task_allow_completion_event(source_line*, int, task* t) {
  event_handle* const handle = make_event(self());
  before(t).detached = std::make_unique<detachment>(detachment{handle->its});
  announced = t;
  return handle;
}

// As enum kmp_target_offload_kind: disabled, default, mandatory.
int __kmpc_get_target_offload() {
  switch (initial_settings().target_offload) {
    case offload::disabled: return 0;
    case offload::mandatory: return 2;
    default: return 1;
  }
}

int __kmpc_get_taskid() { return task_id(self().task); }
int __kmpc_get_parent_taskid() {
  const task_scope* const t = self().task;
  return t != nullptr ? task_id(t->outer()) : 0;
}

// One task for the whole loop; its code iterates from *lower to *upper itself.
void __kmpc_taskloop(source_line*, int, task* t, int, std::uint64_t*, std::uint64_t*, std::int64_t, int no_group, int,
                     std::uint64_t, void (*duplicate)(task* copy, task* from, int last)) {
  if (no_group == 0) begin_task_group(self());
  if (duplicate == nullptr) {
    execute(t);
  } else {
    // Only a copy can be told that it executes the last iteration.
    hidden& original = before(t);
    char* const memory = allocate(original.bytes);
    std::memcpy(memory, &original, original.bytes);
    task* const copy = task_in(memory, original.bytes, original.has_destructors, original.final);
    if (t->shared != nullptr) copy->shared = memory + (static_cast<char*>(t->shared) - reinterpret_cast<char*>(&original));
    duplicate(copy, t, 1);
    execute(copy);
    free_task(t);
  }
  if (no_group == 0) end_task_group(self());
}
void __kmpc_taskloop_5(source_line* p, int global, task* t, int condition, std::uint64_t* lower, std::uint64_t* upper,
                       std::int64_t step, int no_group, int kind, std::uint64_t size, int,
                       void (*duplicate)(task*, task*, int)) {
  __kmpc_taskloop(p, global, t, condition, lower, upper, step, no_group, kind, size, duplicate);
}

}  // extern "C"
