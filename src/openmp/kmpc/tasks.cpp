// Tasks, as Clang compiles them.
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "openmp/kmpc/interface.hpp"
#include "openmp/settings/initial.hpp"
#include "openmp/tasks/event.hpp"
#include "openmp/tasks/loop_parts.hpp"
#include "openmp/tasks/task.hpp"
#include "openmp/tasks/task_body.hpp"
#include "openmp/tasks/task_group.hpp"
#include "system/guarded_entry.hpp"

using namespace weir::openmp;

namespace {
struct compiled_task;
using routine = int (*)(int global, compiled_task*);

// The fields that the compiler's code accesses; the task's private variables follow.
struct compiled_task {
  void* shared;
  routine run;
  std::int32_t part;
  union extra {
    std::int32_t priority;
    routine destroy;
  } destructors, priority;
};

// The runtime's data about a task, in the rest of the task's last line. The compiler's part begins on the next line: the compiler
// assumes that this part is aligned to a line, as LLVM's runtime aligns it, because private variables may be vectors.
struct hidden {
  std::size_t bytes;  // of the compiler's part
  bool has_destructors, has_priority, has_begun, has_more, combines;
};
static_assert(alignof(task) >= 64 && sizeof(hidden) <= sizeof(task::room));
constexpr int final_flag = 2, destructors_flag = 8, priority_flag = 32;

struct listed {
  std::uintptr_t at;
  std::size_t bytes;
  std::uint8_t kind;
};

task& of(compiled_task* t) { return *(reinterpret_cast<task*>(t) - 1); }
hidden& before(compiled_task* t) { return *static_cast<hidden*>(of(t).data()); }
compiled_task* in(task& t) { return reinterpret_cast<compiled_task*>(&t + 1); }

void destroy(compiled_task* t) {
  if (before(t).has_destructors && t->destructors.destroy != nullptr) t->destructors.destroy(global_thread_number(), t);
}

/// Executes the parts of an untied task: after each part but the last, the task asks to be executed again. If the compiler's code
/// begins the task itself, these are the remaining parts.
void execute_parts(compiled_task* t) {
  hidden& header = before(t);
  while (std::exchange(header.has_more, false)) t->run(global_thread_number(), t);
  if (header.combines) [[unlikely]]
    combine_at_end(self(), of(t));
}

void execute(task& of_runtime) {
  compiled_task* const t = in(of_runtime);
  before(t).has_begun = before(t).has_more = true;
  execute_parts(t);
  destroy(t);
}

void leave_out(task& of_runtime) { destroy(in(of_runtime)); }
using body = task_body<execute, leave_out>;
[[gnu::constructor]] void when_loaded() { body::choose(); }

/// The compiler's code sets the priority after the task has been allocated.
void read_priority(compiled_task* t) {
  if (before(t).has_priority) set_priority(of(t), t->priority.priority);
}

compiled_task* make_task(member& me, std::size_t bytes, int flags) {
  task& made = new_task(me, sizeof(task::room) + bytes);
  made.final = (flags & final_flag) != 0;
  made.run = body::run;
  new (made.data()) hidden{bytes, (flags & destructors_flag) != 0, (flags & priority_flag) != 0, false, false, false};
  return in(made);
}

/// The same data, for another task.
compiled_task* copy_of(member& me, compiled_task* t) {
  const hidden& original = before(t);
  compiled_task* const copy = make_task(me, original.bytes, 0);
  before(copy).has_destructors = original.has_destructors;
  of(copy).priority = of(t).priority;
  of(copy).final = of(t).final;
  std::memcpy(static_cast<void*>(copy), t, original.bytes);
  if (t->shared != nullptr)
    copy->shared = reinterpret_cast<char*>(copy) + (static_cast<char*>(t->shared) - reinterpret_cast<char*>(t));
  return copy;
}

dependence::kind_of kind_of(std::uint8_t kind) {
  enum : std::uint8_t { in = 1, mutex_in_out_set = 4, in_out_set = 8 };
  switch (kind) {
    case in: return dependence::in;
    case mutex_in_out_set: return dependence::mutex_in_out_set;
    case in_out_set: return dependence::in_out_set;
    default: return dependence::out;
  }
}

void append(dependences& list, int count, const listed* listed_here) {
  enum : std::uint8_t { is_all_memory = 0x80 };
  for (int i = 0; i < count; ++i)
    list.push_back({(listed_here[i].kind & is_all_memory) != 0 ? all_memory : listed_here[i].at, kind_of(listed_here[i].kind)});
}

dependences list_of(int count, const listed* listed_here, int more, const listed* others) {
  dependences list;
  append(list, count, listed_here);
  append(list, more, others);
  return list;
}

/// Before the compiler's code begins an undeferred task, it waits for the task's dependences, as if by a taskwait. If the task is
/// detached, the code has said so before.
thread_local compiled_task* announced = nullptr;  // a detached task that has not begun
thread_local std::shared_ptr<dependence_node> waited_as;

/// `after`: what the task depends on; or nothing.
template <class... After>
void begin_or_continue(compiled_task* t, const After&... after) {
  hidden& h = before(t);
  if (h.has_begun) {
    h.has_more = true;
    return;
  }
  announced = nullptr;
  read_priority(t);
  generate(self(), of(t), false, after...);
}

void wait_before(const dependences& after) {
  const bool detached = std::exchange(announced, nullptr) != nullptr;
  waited_as = wait_for_undeferred(self(), detached, after);  // the thread executes other tasks meanwhile
}

/// A bound of the loop in the data of a task.
std::uint64_t& bound_in(compiled_task* t, compiled_task* original, const std::uint64_t* of_original) {
  return *reinterpret_cast<std::uint64_t*>(reinterpret_cast<char*>(t) +
                                           (reinterpret_cast<const char*>(of_original) - reinterpret_cast<char*>(original)));
}

/// Deals the iterations from *lower to *upper, both included, to copies of a task.
void deal_loop(member& me, compiled_task* t, bool undeferred, std::uint64_t* lower, std::uint64_t* upper, std::int64_t step,
               const loop_parts& parts, void (*duplicate)(compiled_task* copy, compiled_task* from, int last)) {
  read_priority(t);
  std::uint64_t first = *lower;
  for (std::uint64_t i = 0; i < parts.count; ++i) {
    const bool last = i + 1 == parts.count;
    const std::uint64_t end = last ? *upper : first + (parts.trips(i) - 1) * static_cast<std::uint64_t>(step);
    compiled_task* const one = copy_of(me, t);
    bound_in(one, t, lower) = first;
    bound_in(one, t, upper) = end;
    if (duplicate != nullptr) duplicate(one, t, last ? 1 : 0);
    generate(me, of(one), undeferred);
    first = end + static_cast<std::uint64_t>(step);
  }
}

}  // namespace

task& weir::openmp::runtime_task(void* of_compiler) { return of(static_cast<compiled_task*>(of_compiler)); }
void weir::openmp::combines_at_end(task& t) { before(in(t)).combines = true; }

extern "C" {

compiled_task* __kmpc_omp_task_alloc(source_line*, int, int flags, std::size_t bytes, std::size_t shared_bytes, routine run) {
  const std::size_t own = (bytes + 15) / 16 * 16;
  compiled_task* const t = make_task(self(), own + shared_bytes, flags);
  std::memset(static_cast<void*>(t), 0, own + shared_bytes);
  t->shared = shared_bytes != 0 ? reinterpret_cast<char*>(t) + own : nullptr;
  t->run = run != nullptr ? run : [](int, compiled_task*) { return 0; };
  return t;
}
// There is no device: the task executes the region on the host.
compiled_task* __kmpc_omp_target_task_alloc(source_line* p, int global, int flags, std::size_t bytes, std::size_t shared_bytes,
                                   routine run, std::int64_t) {
  return __kmpc_omp_task_alloc(p, global, flags, bytes, shared_bytes, run);
}
// The affinity clause is a hint.
int __kmpc_omp_reg_task_with_affinity(source_line*, int, compiled_task*, int, void*) { return 0; }

WEIR_GUARDED(int, __kmpc_omp_task, (source_line*, int, compiled_task* t)) {
  begin_or_continue(t);
  return 0;
}
WEIR_GUARDED(int, __kmpc_omp_task_parts, (source_line*, int, compiled_task* t)) {
  begin_or_continue(t);
  return 0;
}
WEIR_GUARDED(int, __kmpc_omp_task_with_deps,
             (source_line*, int, compiled_task* t, int count, const listed* listed_here, int more, const listed* others)) {
  begin_or_continue(t, list_of(count, listed_here, more, others));
  return 0;
}
// Undeferred: the compiler's code calls the routine itself, for the first part.
WEIR_GUARDED(void, __kmpc_omp_task_begin_if0, (source_line*, int, compiled_task* t)) {
  before(t).has_begun = true;
  announced = nullptr;
  begin_undeferred(self(), of(t), std::exchange(waited_as, nullptr));
}
WEIR_GUARDED(void, __kmpc_omp_task_complete_if0, (source_line*, int, compiled_task* t)) {
  execute_parts(t);
  destroy(t);
  end_undeferred(self(), of(t));
}
WEIR_GUARDED(void, __kmpc_omp_wait_deps,
             (source_line*, int, int count, const listed* listed_here, int more, const listed* others)) {
  wait_before(list_of(count, listed_here, more, others));
}
WEIR_GUARDED(void, __kmpc_omp_taskwait_deps_51,
             (source_line*, int, int count, const listed* listed_here, int more, const listed* others, int nowait)) {
  if (nowait == 0)
    wait_before(list_of(count, listed_here, more, others));
  else  // an empty task that others may depend on
    generate_empty(self(), list_of(count, listed_here, more, others));
}
WEIR_GUARDED(int, __kmpc_omp_taskwait, (source_line*, int)) {
  finish_children(self());
  return 0;
}
WEIR_GUARDED(int, __kmpc_omp_taskyield, (source_line*, int, int)) {
  yield_to_task(self());
  return 0;
}
WEIR_GUARDED(void, __kmpc_taskgroup, (source_line*, int)) { begin_task_group(self()); }
WEIR_GUARDED(void, __kmpc_end_taskgroup, (source_line*, int)) { end_task_group(self()); }

event_handle* __kmpc_task_allow_completion_event(source_line*, int, compiled_task* t) {
  announced = t;
  return make_event(self(), of(t));
}

// As enum kmp_target_offload_kind: disabled, default, mandatory.
int __kmpc_get_target_offload() {
  switch (initial_settings().target_offload) {
    case offload::disabled: return 0;
    case offload::mandatory: return 2;
    default: return 1;
  }
}

// LLVM's library for devices asks whether a target task may wait for its device in parts. The answer is no: the task executes as
// a whole.
bool __kmpc_omp_has_task_team(int) { return false; }
void** __kmpc_omp_get_target_async_handle_ptr(int) { return nullptr; }

int __kmpc_get_taskid() { return task_id(*self().executing); }
int __kmpc_get_parent_taskid() {
  task* const parent = self().executing->parent.load(std::memory_order_relaxed);  // relaxed: this task's own
  return parent != nullptr ? task_id(*parent) : 0;
}

WEIR_GUARDED(void, __kmpc_taskloop_5,
             (source_line*, int, compiled_task* t, int condition, std::uint64_t* lower, std::uint64_t* upper, std::int64_t step,
              int no_group, int kind, std::uint64_t size, int strict,
              void (*duplicate)(compiled_task* copy, compiled_task* from, int last))) {
  enum : int { by_grain = 1 };
  member& me = self();
  const std::uint64_t by = step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
  const std::uint64_t trips = (step > 0 ? *upper - *lower : *lower - *upper) / by + 1;
  if (no_group == 0) begin_task_group(me);
  if (trips > 0)
    deal_loop(me, t, condition == 0, lower, upper, step,
              kind == by_grain ? loop_parts::by_grain(trips, size, strict != 0) : loop_parts::by_count(trips, size, me.of->size),
              duplicate);
  if (duplicate != nullptr) destroy(t);
  discard(me, of(t));
  if (no_group == 0) end_task_group(me);
}
WEIR_GUARDED(void, __kmpc_taskloop,
             (source_line* p, int global, compiled_task* t, int condition, std::uint64_t* lower, std::uint64_t* upper,
                     std::int64_t step, int no_group, int kind, std::uint64_t size,
                     void (*duplicate)(compiled_task* copy, compiled_task* from, int last))) {
  weir_unguarded___kmpc_taskloop_5(p, global, t, condition, lower, upper, step, no_group, kind, size, 0, duplicate);
}

}  // extern "C"
