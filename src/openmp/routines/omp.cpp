// The routines of the OpenMP API, for C and (with an underscore, by reference) for Fortran.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <new>

#include <weir/machine/processors.hpp>

#include "openmp/routines/forms.hpp"
#include "openmp/support/lock.hpp"
#include "openmp/tasks/task.hpp"
#include "openmp/core/team.hpp"

using namespace weir::openmp;

namespace {
member* ancestor(int level) {
  member* m = &self();
  if (level < 0 || level > static_cast<int>(m->of->level)) return nullptr;
  while (static_cast<int>(m->of->level) > level) m = m->of->parent;
  return m;
}
/// What tells the calling thread's task from all others: an explicit task by its scope, an implicit one by its member.
const void* this_task() {
  const member& me = self();
  return me.task != nullptr ? static_cast<const void*>(me.task) : &me;
}

/// Owned by a task, not by a thread [OpenMP 5.2, 18.9]. It does not fit into what the program keeps for it (8 bytes for LLVM's),
/// which holds its address.
struct nest_lock {
  lock mutual;
  int depth = 0;
  // relaxed, everywhere: a task compares it with itself alone, and only the owner itself writes that value.
  std::atomic<const void*> owner{nullptr};

  bool is_mine() const { return owner.load(std::memory_order_relaxed) == this_task(); }
  void enter() {
    owner.store(this_task(), std::memory_order_relaxed);
    ++depth;
  }
};
}  // namespace

ASKS(int, weir_omp_get_thread_num, static_cast<int>(self().number))
ASKS(int, weir_omp_get_num_threads, static_cast<int>(self().of->size))
ASKS(int, weir_omp_get_max_threads,
     self().icv.num_threads > 0 ? self().icv.num_threads : threads_at(initial_settings(), self().of->level))
ASKS(int, weir_omp_get_num_procs, std::max(1, static_cast<int>(weir::affinity().size())))
ASKS(int, weir_omp_in_parallel, self().of->active_level > 0)
ASKS(int, weir_omp_get_dynamic, self().icv.dynamic)
ASKS(int, weir_omp_get_nested, self().icv.max_active_levels > 1)
ASKS(int, weir_omp_get_level, static_cast<int>(self().of->level))
ASKS(int, weir_omp_get_active_level, static_cast<int>(self().of->active_level))
ASKS(int, weir_omp_get_max_active_levels, self().icv.max_active_levels)
ASKS(int, weir_omp_get_supported_active_levels, 255)
ASKS(int, weir_omp_get_thread_limit, thread_limit(self()))
ASKS(int, weir_omp_get_cancellation, 0)
ASKS(int, weir_omp_in_final, self().in_final)
ASKS(int, weir_omp_in_explicit_task, self().task != nullptr)
ASKS(int, weir_omp_get_num_devices, 0)
ASKS(int, weir_omp_get_default_device, self().icv.default_device)
ASKS(int, weir_omp_get_initial_device, 0)
ASKS(int, weir_omp_is_initial_device, 1)
ASKS(int, weir_omp_get_max_task_priority, 0)

TAKES_INT(weir_omp_set_num_threads, if (it > 0) self().icv.num_threads = it)
TAKES_INT(weir_omp_set_dynamic, self().icv.dynamic = it != 0)
TAKES_INT(weir_omp_set_nested, self().icv.max_active_levels = it != 0 ? 255 : 1)
TAKES_INT(weir_omp_set_max_active_levels, if (it >= 0) self().icv.max_active_levels = std::min(it, 255))
TAKES_INT(weir_omp_set_default_device, self().icv.default_device = it)

ASKS_INT(weir_omp_get_ancestor_thread_num, ancestor(it) != nullptr ? static_cast<int>(ancestor(it)->number) : -1)
ASKS_INT(weir_omp_get_team_size, ancestor(it) != nullptr ? static_cast<int>(ancestor(it)->of->size) : -1)

namespace {
double seconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
}  // namespace
ASKS(double, weir_omp_get_wtime, seconds())
ASKS(double, weir_omp_get_wtick, 1e-9)

extern "C" {
void weir_omp_set_schedule(int kind, int chunk) {
  schedule s;
  switch (kind & 0x7fffffff) {
    case 1: s.kind = schedule_kind::static_; break;
    case 2: s.kind = schedule_kind::dynamic; break;
    case 3: s.kind = schedule_kind::guided; break;
    case 4: s.kind = schedule_kind::auto_; break;
    default: return;
  }
  s.monotonic = kind < 0;
  s.chunk = std::max(chunk, 0);
  self().icv.run_schedule = s;
}
void weir_omp_set_schedule_(const int* kind, const int* chunk) { weir_omp_set_schedule(*kind, *chunk); }
void weir_omp_set_schedule_8_(const int* kind, const long* chunk) { weir_omp_set_schedule(*kind, narrow(*chunk)); }
void weir_omp_get_schedule(int* kind, int* chunk) {
  const schedule s = self().icv.run_schedule;
  const int of[] = {1, 2, 3, 4};
  *kind = of[static_cast<int>(s.kind)] | (s.monotonic ? static_cast<int>(0x80000000u) : 0);
  *chunk = s.chunk > 0 || s.kind == schedule_kind::static_ ? s.chunk : 1;  // static's default is no number
}
void weir_omp_get_schedule_(int* kind, int* chunk) { weir_omp_get_schedule(kind, chunk); }
void weir_omp_get_schedule_8_(int* kind, long* chunk) {
  int its = 0;
  weir_omp_get_schedule(kind, &its);
  *chunk = its;
}

void weir_omp_init_lock(lock* l) { new (l) lock; }
void weir_omp_destroy_lock(lock*) {}
void weir_omp_set_lock(lock* l) { l->take(); }
void weir_omp_unset_lock(lock* l) { l->release(); }
int weir_omp_test_lock(lock* l) { return l->try_take() ? 1 : 0; }
void weir_omp_init_lock_with_hint(lock* l, int) { new (l) lock; }

void weir_omp_init_nest_lock(nest_lock** l) { *l = new nest_lock; }
void weir_omp_init_nest_lock_with_hint(nest_lock** l, int) { *l = new nest_lock; }
void weir_omp_destroy_nest_lock(nest_lock** l) { delete *l; }
void weir_omp_set_nest_lock(nest_lock** at) {
  nest_lock& l = **at;
  if (!l.is_mine()) l.mutual.take();
  l.enter();
}
void weir_omp_unset_nest_lock(nest_lock** at) {
  nest_lock& l = **at;
  if (--l.depth > 0) return;
  l.owner.store(nullptr, std::memory_order_relaxed);
  l.mutual.release();
}
int weir_omp_test_nest_lock(nest_lock** at) {
  nest_lock& l = **at;
  if (!l.is_mine() && !l.mutual.try_take()) return 0;
  l.enter();
  return l.depth;
}

// Fortran's.
void weir_omp_init_lock_(lock* l) { weir_omp_init_lock(l); }
void weir_omp_init_lock_with_hint_(lock* l, const int*) { weir_omp_init_lock(l); }
void weir_omp_destroy_lock_(lock*) {}
void weir_omp_set_lock_(lock* l) { l->take(); }
void weir_omp_unset_lock_(lock* l) { l->release(); }
int weir_omp_test_lock_(lock* l) { return weir_omp_test_lock(l); }
void weir_omp_init_nest_lock_(nest_lock** l) { weir_omp_init_nest_lock(l); }
void weir_omp_init_nest_lock_with_hint_(nest_lock** l, const int*) { weir_omp_init_nest_lock(l); }
void weir_omp_destroy_nest_lock_(nest_lock** l) { weir_omp_destroy_nest_lock(l); }
void weir_omp_set_nest_lock_(nest_lock** l) { weir_omp_set_nest_lock(l); }
void weir_omp_unset_nest_lock_(nest_lock** l) { weir_omp_unset_nest_lock(l); }
int weir_omp_test_nest_lock_(nest_lock** l) { return weir_omp_test_nest_lock(l); }
}

extern "C" {
// There is nothing to give back that the program could need: 0 is success.
int weir_omp_pause_resource(int, int) { return 0; }
int weir_omp_pause_resource_all(int) { return 0; }
int weir_omp_pause_resource_(const int*, const int*) { return 0; }
int weir_omp_pause_resource_all_(const int*) { return 0; }
void weir_omp_display_env(int verbose) { std::fputs(show(initial_settings(), verbose != 0).c_str(), stderr); }
void weir_omp_display_env_(const int* verbose) { weir_omp_display_env(*verbose); }
void weir_omp_display_env_8_(const long* verbose) { weir_omp_display_env(*verbose != 0); }
// omp_control_tool_notool
int weir_omp_control_tool(int, int, void*) { return -2; }
int weir_omp_control_tool_(const int*, const int*, void*) { return -2; }
}

#include "openmp/routines/versions.hpp"
