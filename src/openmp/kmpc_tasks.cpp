// Tasks as Clang compiles them. They are executed at once, by who creates them.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "task.hpp"

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
  std::size_t bytes;
  bool has_destructors, final, runs, has_more;
};
constexpr int final_flag = 2, destructors_flag = 8;

char* room_for(std::size_t bytes) {
  auto* const room = static_cast<char*>(std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment));
  if (room == nullptr) std::abort();
  return room;
}

hidden& before(task* t) { return *reinterpret_cast<hidden*>(reinterpret_cast<char*>(t) - sizeof(hidden)); }

void free_task(task* t) {
  if (before(t).has_destructors && t->destructors.destroy != nullptr) t->destructors.destroy(global_number(), t);
  std::free(&before(t));
}

void execute(task* t) {
  hidden& its = before(t);
  if (its.runs) {  // an untied task gives itself back between its parts
    its.has_more = true;
    return;
  }
  its.runs = true;
  {
    const final_task scope(its.final);
    do {
      its.has_more = false;
      t->run(global_number(), t);
    } while (its.has_more);
  }
  free_task(t);
}

}  // namespace

extern "C" {

task* __kmpc_omp_task_alloc(place*, int, int flags, std::size_t bytes, std::size_t shared_bytes, routine run) {
  const std::size_t own = (bytes + 15) / 16 * 16;
  const std::size_t all = sizeof(hidden) + own + shared_bytes;
  char* const room = room_for(all);
  std::memset(room, 0, all);
  auto* t = reinterpret_cast<task*>(room + sizeof(hidden));
  before(t) = {all, (flags & destructors_flag) != 0, (flags & final_flag) != 0, false, false};
  t->shared = shared_bytes != 0 ? room + sizeof(hidden) + own : nullptr;
  t->run = run;
  return t;
}

int __kmpc_omp_task(place*, int, task* t) {
  execute(t);
  return 0;
}
int __kmpc_omp_task_with_deps(place*, int, task* t, int, void*, int, void*) {
  execute(t);
  return 0;
}
// Undeferred: the compiler's code calls the routine itself.
void __kmpc_omp_task_begin_if0(place*, int, task*) {}
void __kmpc_omp_task_complete_if0(place*, int, task* t) { free_task(t); }
void __kmpc_omp_wait_deps(place*, int, int, void*, int, void*) {}
void __kmpc_omp_taskwait_deps_51(place*, int, int, void*, int, void*, int) {}
int __kmpc_omp_taskwait(place*, int) { return 0; }
int __kmpc_omp_taskyield(place*, int, int) { return 0; }
void __kmpc_taskgroup(place*, int) {}
void __kmpc_end_taskgroup(place*, int) {}

// One task for the whole loop, which runs from *lower to *upper by itself.
void __kmpc_taskloop(place*, int, task* t, int, std::uint64_t*, std::uint64_t*, std::int64_t, int, int, std::uint64_t,
                     void (*duplicate)(task* copy, task* from, int last)) {
  if (duplicate == nullptr) {
    execute(t);
    return;
  }
  // Who executes the last iteration is told by a copy alone.
  hidden& original = before(t);
  char* const room = room_for(original.bytes);
  std::memcpy(room, &original, original.bytes);
  auto* copy = reinterpret_cast<task*>(room + sizeof(hidden));
  if (t->shared != nullptr) copy->shared = room + (static_cast<char*>(t->shared) - reinterpret_cast<char*>(&original));
  duplicate(copy, t, 1);
  execute(copy);
  free_task(t);
}
void __kmpc_taskloop_5(place* p, int global, task* t, int condition, std::uint64_t* lower, std::uint64_t* upper,
                       std::int64_t step, int no_group, int kind, std::uint64_t size, int,
                       void (*duplicate)(task*, task*, int)) {
  __kmpc_taskloop(p, global, t, condition, lower, upper, step, no_group, kind, size, duplicate);
}

}  // extern "C"
