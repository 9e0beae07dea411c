// Tasks as Clang compiles them.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "openmp/tasks/pending_tasks.hpp"
#include "openmp/tasks/task_group.hpp"

using namespace weir::openmp;

namespace {

struct place;
struct task;
using routine = int (*)(int global, task*);

// As far as the compiler's code looks into it; its private variables follow.
struct task {
  void* shared;
  routine run;
  std::int32_t part;
  union extra {
    std::int32_t priority;
    routine destroy;
  } destructors, priority;
};

// Before it, what we must know. The compiler takes a task to be aligned as LLVM's runtime aligns it, to a line: its private
// variables may be vectors.
constexpr std::size_t alignment = 64;
struct alignas(alignment) hidden {
  std::size_t bytes = 0;
  bool has_destructors = false, final = false, runs = false, has_more = false;
  std::shared_ptr<event> until = nullptr;          // of a detached task
  std::optional<task_scope> scope = std::nullopt;  // of one that the compiler's code calls itself
};
constexpr int final_flag = 2, destructors_flag = 8;

struct listed {
  std::uintptr_t at;
  std::size_t bytes;
  std::uint8_t kind;
};

char* room_for(std::size_t bytes) {
  auto* const room = static_cast<char*>(std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment));
  if (room == nullptr) std::abort();
  return room;
}

/// In `room`, which holds the bytes of the task itself already.
task* task_in(char* room, std::size_t bytes, bool has_destructors, bool final) {
  new (room) hidden{.bytes = bytes, .has_destructors = has_destructors, .final = final};
  return reinterpret_cast<task*>(room + sizeof(hidden));
}

hidden& before(task* t) { return *reinterpret_cast<hidden*>(reinterpret_cast<char*>(t) - sizeof(hidden)); }

void free_task(task* t) {
  hidden& its = before(t);
  if (its.has_destructors && t->destructors.destroy != nullptr) t->destructors.destroy(global_number(), t);
  its.~hidden();
  std::free(&its);
}

/// The parts of an untied task: it gives itself back between them.
void execute_rest(task* t) {
  hidden& its = before(t);
  while (std::exchange(its.has_more, false)) t->run(global_number(), t);
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

/// A detached task that has not begun. The compiler's code says what an undeferred one depends on before it begins it, as if for
/// a taskwait, and what depends on it waits for its event.
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
  perform(me, list_of(count, its, more, others), me.in_final, h.until, [t] { execute(t); });
}

void wait_before(int count, const listed* its, int more, const listed* others) {
  member& me = self();
  if (nothing_pending(me)) return;
  dependences list = list_of(count, its, more, others);
  finish_before(me, list);
  if (announced != nullptr) before(announced).until->after = std::move(list);
}

int id_of(const task_scope* t) {
  static std::atomic<int> next{0};
  if (t == nullptr) return 0;
  if (t->id == 0) t->id = next.fetch_add(1, std::memory_order_relaxed) + 1;  // relaxed: the number alone matters
  return t->id;
}

}  // namespace

extern "C" {

task* __kmpc_omp_task_alloc(place*, int, int flags, std::size_t bytes, std::size_t shared_bytes, routine run) {
  const std::size_t own = (bytes + 15) / 16 * 16;
  const std::size_t all = sizeof(hidden) + own + shared_bytes;
  char* const room = room_for(all);
  std::memset(room, 0, all);
  task* const t = task_in(room, all, (flags & destructors_flag) != 0, (flags & final_flag) != 0);
  t->shared = shared_bytes != 0 ? room + sizeof(hidden) + own : nullptr;
  t->run = run != nullptr ? run : [](int, task*) { return 0; };
  return t;
}
// There is no device: the task executes the region here.
task* __kmpc_omp_target_task_alloc(place* p, int global, int flags, std::size_t bytes, std::size_t shared_bytes, routine run,
                                   std::int64_t) {
  return __kmpc_omp_task_alloc(p, global, flags, bytes, shared_bytes, run);
}
// Where a task would best run is a hint.
int __kmpc_omp_reg_task_with_affinity(place*, int, task*, int, void*) { return 0; }

int __kmpc_omp_task(place*, int, task* t) {
  begin(t, 0, nullptr, 0, nullptr);
  return 0;
}
int __kmpc_omp_task_parts(place*, int, task* t) {
  begin(t, 0, nullptr, 0, nullptr);
  return 0;
}
int __kmpc_omp_task_with_deps(place*, int, task* t, int count, const listed* its, int more, const listed* others) {
  begin(t, count, its, more, others);
  return 0;
}
// Undeferred: the compiler's code calls the routine itself, for the first part.
void __kmpc_omp_task_begin_if0(place*, int, task* t) {
  hidden& h = before(t);
  announced = nullptr;
  h.runs = true;
  h.scope.emplace(h.final);
}
void __kmpc_omp_task_complete_if0(place*, int, task* t) {
  hidden& h = before(t);
  execute_rest(t);
  h.scope.reset();
  if (h.until != nullptr) complete_later(self(), std::move(h.until->after), h.until);
  free_task(t);
}
void __kmpc_omp_wait_deps(place*, int, int count, const listed* its, int more, const listed* others) {
  wait_before(count, its, more, others);
}
void __kmpc_omp_taskwait_deps_51(place*, int, int count, const listed* its, int more, const listed* others, int nowait) {
  member& me = self();
  if (nowait == 0)
    wait_before(count, its, more, others);
  else if (!nothing_pending(me))  // an empty task that others may depend on
    perform(me, list_of(count, its, more, others), false, nullptr, [] {});
}
int __kmpc_omp_taskwait(place*, int) {
  finish_children(self());
  return 0;
}
int __kmpc_omp_taskyield(place*, int, int) { return 0; }
void __kmpc_taskgroup(place*, int) { begin_task_group(self()); }
void __kmpc_end_taskgroup(place*, int) { end_task_group(self()); }

event_handle* __kmpc_task_allow_completion_event(place*, int, task* t) {
  event_handle* const handle = make_event(self());
  before(t).until = handle->its;
  announced = t;
  return handle;
}

// Of enum kmp_target_offload_kind: disabled, default, mandatory.
int __kmpc_get_target_offload() {
  switch (initial_settings().target_offload) {
    case offload::disabled: return 0;
    case offload::mandatory: return 2;
    default: return 1;
  }
}

int __kmpc_get_taskid() { return id_of(self().task); }
int __kmpc_get_parent_taskid() {
  const task_scope* const t = self().task;
  return t != nullptr ? id_of(t->outer()) : 0;
}

// One task for the whole loop, which runs from *lower to *upper by itself.
void __kmpc_taskloop(place*, int, task* t, int, std::uint64_t*, std::uint64_t*, std::int64_t, int no_group, int, std::uint64_t,
                     void (*duplicate)(task* copy, task* from, int last)) {
  if (no_group == 0) begin_task_group(self());
  if (duplicate == nullptr) {
    execute(t);
  } else {
    // Who executes the last iteration is told by a copy alone.
    hidden& original = before(t);
    char* const room = room_for(original.bytes);
    std::memcpy(room, &original, original.bytes);
    task* const copy = task_in(room, original.bytes, original.has_destructors, original.final);
    if (t->shared != nullptr) copy->shared = room + (static_cast<char*>(t->shared) - reinterpret_cast<char*>(&original));
    duplicate(copy, t, 1);
    execute(copy);
    free_task(t);
  }
  if (no_group == 0) end_task_group(self());
}
void __kmpc_taskloop_5(place* p, int global, task* t, int condition, std::uint64_t* lower, std::uint64_t* upper,
                       std::int64_t step, int no_group, int kind, std::uint64_t size, int,
                       void (*duplicate)(task*, task*, int)) {
  __kmpc_taskloop(p, global, t, condition, lower, upper, step, no_group, kind, size, duplicate);
}

}  // extern "C"
