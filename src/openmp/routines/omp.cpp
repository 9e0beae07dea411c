// The routines of the OpenMP API for regions, threads and tasks; in C, and for Fortran with an underscore and by reference.
#include <algorithm>
#include <cstdio>
#include <ctime>

#include <weir/machine/processors.hpp>

#include "openmp/forking/region.hpp"
#include "openmp/forking/thread_limit.hpp"
#include "openmp/places/locations.hpp"
#include "openmp/routines/devices.hpp"
#include "openmp/routines/forms.hpp"
#include "openmp/settings/initial.hpp"
#include "openmp/tasks/task.hpp"

using namespace weir::openmp;

namespace {
member* ancestor(int level) {
  member* m = &self();
  if (level < 0 || level > static_cast<int>(m->of->level)) return nullptr;
  while (static_cast<int>(m->of->level) > level) m = m->of->parent;
  return m;
}
}  // namespace

ASKS(int, weir_omp_get_thread_num, static_cast<int>(self().number))
ASKS(int, weir_omp_get_num_threads, static_cast<int>(self().of->size))
ASKS(int, weir_omp_get_max_threads, nthreads_var(self()))
ASKS(int, weir_omp_get_num_procs, visible_processors())
ASKS(int, weir_omp_in_parallel, self().of->active_level > 0)
ASKS(int, weir_omp_get_dynamic, self().icv.dynamic)
ASKS(int, weir_omp_get_nested, self().icv.max_active_levels > 1)
ASKS(int, weir_omp_get_level, static_cast<int>(self().of->level))
ASKS(int, weir_omp_get_active_level, static_cast<int>(self().of->active_level))
ASKS(int, weir_omp_get_max_active_levels, self().icv.max_active_levels)
ASKS(int, weir_omp_get_supported_active_levels, 255)
ASKS(int, weir_omp_get_thread_limit, thread_limit(self()))
ASKS(int, weir_omp_get_cancellation, cancellation_in_force())
ASKS(int, weir_omp_in_final, self().executing->final)
ASKS(int, weir_omp_in_explicit_task, in_explicit_task(self()))
ASKS(int, weir_omp_get_num_devices, 0)
ASKS(int, weir_omp_get_default_device, self().icv.default_device)
ASKS(int, weir_omp_get_initial_device, 0)
ASKS(int, weir_omp_is_initial_device, 1)
ASKS(int, weir_omp_get_max_task_priority, initial_settings().max_task_priority)

TAKES_INT(weir_omp_set_num_threads, if (it > 0) own_control(self()).num_threads = it)
TAKES_INT(weir_omp_set_dynamic, own_control(self()).dynamic = it != 0)
TAKES_INT(weir_omp_set_nested, own_control(self()).max_active_levels = it != 0 ? 255 : 1)
TAKES_INT(weir_omp_set_max_active_levels, if (it >= 0) own_control(self()).max_active_levels = std::min(it, 255))
TAKES_INT(weir_omp_set_default_device, if (it != default_device) own_control(self()).default_device = it)

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
    case 101: s.kind = schedule_kind::trapezoidal; break;  // of LLVM's runtime, as its compilers have no clause for it
    default: return;
  }
  s.monotonic = kind < 0;
  s.chunk = std::max(chunk, 0);
  own_control(self()).run_schedule = s;
}
void weir_omp_set_schedule_(const int* kind, const int* chunk) { weir_omp_set_schedule(*kind, *chunk); }
void weir_omp_set_schedule_8_(const int* kind, const long* chunk) { weir_omp_set_schedule(*kind, narrow(*chunk)); }
void weir_omp_get_schedule(int* kind, int* chunk) {
  const schedule s = self().icv.run_schedule;
  const int of[] = {1, 2, 3, 4, 101};
  *kind = of[static_cast<int>(s.kind)] | (s.monotonic ? static_cast<int>(0x80000000u) : 0);
  *chunk = s.chunk > 0 || s.kind == schedule_kind::static_ ? s.chunk : 1;  // the default of static is no chunk size
}
void weir_omp_get_schedule_(int* kind, int* chunk) { weir_omp_get_schedule(kind, chunk); }
void weir_omp_get_schedule_8_(int* kind, long* chunk) {
  int modifier = 0;
  weir_omp_get_schedule(kind, &modifier);
  *chunk = modifier;
}

void weir_omp_display_env(int verbose) { std::fputs(show(initial_settings(), verbose != 0).c_str(), stderr); }
void weir_omp_display_env_(const int* verbose) { weir_omp_display_env(*verbose); }
void weir_omp_display_env_8_(const long* verbose) { weir_omp_display_env(*verbose != 0); }
// omp_control_tool_notool
int weir_omp_control_tool(int, int, void*) { return -2; }
int weir_omp_control_tool_(const int*, const int*, void*) { return -2; }
int weir_omp_control_tool_8_(const int*, const long*, void*) { return -2; }
}

FOUND_IN_BOTH(omp_control_tool, "OMP_6.0")
FOUND_IN_BOTH(omp_control_tool_, "OMP_6.0")
FOUND_AS(omp_control_tool_8_, "@OMP_6.0")
FOUND_IN_BOTH(omp_display_env, "OMP_5.1")
FOUND_IN_BOTH(omp_display_env_, "OMP_5.1")
FOUND_IN_BOTH(omp_display_env_8_, "OMP_5.1")
FOUND_IN_BOTH(omp_get_active_level, "OMP_3.0")
FOUND_IN_BOTH(omp_get_active_level_, "OMP_3.0")
FOUND_IN_BOTH(omp_get_ancestor_thread_num, "OMP_3.0")
FOUND_IN_BOTH(omp_get_ancestor_thread_num_, "OMP_3.0")
FOUND_IN_BOTH(omp_get_ancestor_thread_num_8_, "OMP_3.0")
FOUND_IN_BOTH(omp_get_cancellation, "OMP_4.0")
FOUND_IN_BOTH(omp_get_cancellation_, "OMP_4.0")
FOUND_IN_BOTH(omp_get_default_device, "OMP_4.0")
FOUND_IN_BOTH(omp_get_default_device_, "OMP_4.0")
FOUND_IN_BOTH(omp_get_dynamic, "OMP_1.0")
FOUND_IN_BOTH(omp_get_dynamic_, "OMP_1.0")
FOUND_IN_BOTH(omp_get_initial_device, "OMP_4.5")
FOUND_IN_BOTH(omp_get_initial_device_, "OMP_4.5")
FOUND_IN_BOTH(omp_get_level, "OMP_3.0")
FOUND_IN_BOTH(omp_get_level_, "OMP_3.0")
FOUND_IN_BOTH(omp_get_max_active_levels, "OMP_3.0")
FOUND_IN_BOTH(omp_get_max_active_levels_, "OMP_3.0")
FOUND_IN_BOTH(omp_get_max_task_priority, "OMP_4.5")
FOUND_IN_BOTH(omp_get_max_task_priority_, "OMP_4.5")
FOUND_IN_BOTH(omp_get_max_threads, "OMP_1.0")
FOUND_IN_BOTH(omp_get_max_threads_, "OMP_1.0")
FOUND_IN_BOTH(omp_get_nested, "OMP_1.0")
FOUND_IN_BOTH(omp_get_nested_, "OMP_1.0")
FOUND_IN_BOTH(omp_get_num_devices, "OMP_4.0")
FOUND_IN_BOTH(omp_get_num_devices_, "OMP_4.0")
FOUND_IN_BOTH(omp_get_num_procs, "OMP_1.0")
FOUND_IN_BOTH(omp_get_num_procs_, "OMP_1.0")
FOUND_IN_BOTH(omp_get_num_threads, "OMP_1.0")
FOUND_IN_BOTH(omp_get_num_threads_, "OMP_1.0")
FOUND_IN_BOTH(omp_get_schedule, "OMP_3.0")
FOUND_IN_BOTH(omp_get_schedule_, "OMP_3.0")
FOUND_IN_BOTH(omp_get_schedule_8_, "OMP_3.0")
FOUND_IN_BOTH(omp_get_supported_active_levels, "OMP_5.0.1")
FOUND_IN_BOTH(omp_get_supported_active_levels_, "OMP_5.0.1")
FOUND_IN_BOTH(omp_get_team_size, "OMP_3.0")
FOUND_IN_BOTH(omp_get_team_size_, "OMP_3.0")
FOUND_IN_BOTH(omp_get_team_size_8_, "OMP_3.0")
FOUND_IN_BOTH(omp_get_thread_limit, "OMP_3.0")
FOUND_IN_BOTH(omp_get_thread_limit_, "OMP_3.0")
FOUND_IN_BOTH(omp_get_thread_num, "OMP_1.0")
FOUND_IN_BOTH(omp_get_thread_num_, "OMP_1.0")
FOUND_IN_BOTH(omp_get_wtick, "OMP_2.0")
FOUND_IN_BOTH(omp_get_wtick_, "OMP_2.0")
FOUND_IN_BOTH(omp_get_wtime, "OMP_2.0")
FOUND_IN_BOTH(omp_get_wtime_, "OMP_2.0")
FOUND_IN_BOTH(omp_in_explicit_task, "OMP_5.2")
FOUND_IN_BOTH(omp_in_explicit_task_, "OMP_5.2")
FOUND_IN_BOTH(omp_in_final, "OMP_3.1")
FOUND_IN_BOTH(omp_in_final_, "OMP_3.1")
FOUND_IN_BOTH(omp_in_parallel, "OMP_1.0")
FOUND_IN_BOTH(omp_in_parallel_, "OMP_1.0")
FOUND_IN_BOTH(omp_is_initial_device, "OMP_4.0")
FOUND_IN_BOTH(omp_is_initial_device_, "OMP_4.0")
FOUND_IN_BOTH(omp_set_default_device, "OMP_4.0")
FOUND_IN_BOTH(omp_set_default_device_, "OMP_4.0")
FOUND_IN_BOTH(omp_set_default_device_8_, "OMP_4.0")
FOUND_IN_BOTH(omp_set_dynamic, "OMP_1.0")
FOUND_IN_BOTH(omp_set_dynamic_, "OMP_1.0")
FOUND_IN_BOTH(omp_set_dynamic_8_, "OMP_1.0")
FOUND_IN_BOTH(omp_set_max_active_levels, "OMP_3.0")
FOUND_IN_BOTH(omp_set_max_active_levels_, "OMP_3.0")
FOUND_IN_BOTH(omp_set_max_active_levels_8_, "OMP_3.0")
FOUND_IN_BOTH(omp_set_nested, "OMP_1.0")
FOUND_IN_BOTH(omp_set_nested_, "OMP_1.0")
FOUND_IN_BOTH(omp_set_nested_8_, "OMP_1.0")
FOUND_IN_BOTH(omp_set_num_threads, "OMP_1.0")
FOUND_IN_BOTH(omp_set_num_threads_, "OMP_1.0")
FOUND_IN_BOTH(omp_set_num_threads_8_, "OMP_1.0")
FOUND_IN_BOTH(omp_set_schedule, "OMP_3.0")
FOUND_IN_BOTH(omp_set_schedule_, "OMP_3.0")
FOUND_IN_BOTH(omp_set_schedule_8_, "OMP_3.0")
