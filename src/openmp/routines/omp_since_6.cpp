// Routines that OpenMP 6.0 adds and LLVM's headers declare, where the answer follows from there being the host alone: all memory
// is the process's, in one resource, and all threads are members of teams. Only LLVM's programs ask for them yet.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <unistd.h>

#include "openmp/forking/league.hpp"
#include "openmp/memory/allocators.hpp"
#include "openmp/routines/devices.hpp"
#include "openmp/routines/forms.hpp"

using namespace weir::openmp;

namespace {

using memory_space = std::uintptr_t;
constexpr memory_space null_space = 0;  // as LLVM's omp.h numbers them: the default one is another

bool all_host(int count, const int* devices) { return count > 0 && std::all_of(devices, devices + count, is_host); }
memory_space space_if(bool there, memory_space asked) { return there ? asked : null_space; }
allocator_handle allocator_if(bool there, memory_space asked) {
  return there && asked != null_space ? default_mem_alloc : null_allocator;
}
memory_space part_of(memory_space asked, int count, const int* resources) {
  return space_if(count > 0 && std::all_of(resources, resources + count, [](int r) { return r == 0; }), asked);
}

}  // namespace

extern "C" {

// ---- memory spaces [OpenMP 6.0, 27.1 to 27.4], and the allocators of these

#define OF_MEMORY(what, type, value)                                                                                     \
  type weir_omp_get_devices_##what(int count, const int* devices, memory_space s) { return value(all_host(count, devices), s); } \
  type weir_omp_get_devices_##what##_(const int* count, const int* devices, const memory_space* s) {                     \
    return value(all_host(*count, devices), *s);                                                                         \
  }                                                                                                                      \
  type weir_omp_get_devices_and_host_##what(int count, const int* devices, memory_space s) {                             \
    return value(all_host(count, devices), s);                                                                           \
  }                                                                                                                      \
  type weir_omp_get_devices_and_host_##what##_(const int* count, const int* devices, const memory_space* s) {            \
    return value(all_host(*count, devices), *s);                                                                         \
  }                                                                                                                      \
  type weir_omp_get_device_##what(int device, memory_space s) { return value(is_host(device), s); }                      \
  type weir_omp_get_device_##what##_(const int* device, const memory_space* s) { return value(is_host(*device), *s); }   \
  type weir_omp_get_device_and_host_##what(int device, memory_space s) { return value(is_host(device), s); }             \
  type weir_omp_get_device_and_host_##what##_(const int* device, const memory_space* s) { return value(is_host(*device), *s); } \
  type weir_omp_get_devices_all_##what(memory_space s) { return value(true, s); }                                        \
  type weir_omp_get_devices_all_##what##_(const memory_space* s) { return value(true, *s); }
OF_MEMORY(memspace, memory_space, space_if)
OF_MEMORY(allocator, allocator_handle, allocator_if)
#undef OF_MEMORY

int weir_omp_get_memspace_num_resources(memory_space s) { return s != null_space ? 1 : 0; }
int weir_omp_get_memspace_num_resources_(const memory_space* s) { return weir_omp_get_memspace_num_resources(*s); }
std::size_t weir_omp_get_memspace_pagesize(memory_space s) {
  return s != null_space ? static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) : 0;
}
std::size_t weir_omp_get_memspace_pagesize_(const memory_space* s) { return weir_omp_get_memspace_pagesize(*s); }
memory_space weir_omp_get_submemspace(memory_space s, int count, const int* resources) { return part_of(s, count, resources); }
memory_space weir_omp_get_submemspace_(const memory_space* s, const int* count, const int* resources) {
  return part_of(*s, *count, resources);
}

// ---- threads and teams [OpenMP 6.0, 23.1 and 24]

int weir_omp_is_free_agent(void) { return 0; }
int weir_omp_is_free_agent_(void) { return 0; }
int weir_omp_ancestor_is_free_agent(int) { return 0; }
int weir_omp_ancestor_is_free_agent_(const int*) { return 0; }
int weir_omp_get_max_progress_width(int device) { return is_host(device) ? 1 : 0; }
int weir_omp_get_max_progress_width_(const int* device) { return weir_omp_get_max_progress_width(*device); }
int weir_omp_get_device_num_teams(int device) { return is_host(device) ? max_teams() : 0; }
int weir_omp_get_device_num_teams_(const int* device) { return weir_omp_get_device_num_teams(*device); }
void weir_omp_set_device_num_teams(int teams, int device) {
  if (is_host(device)) set_max_teams(teams);
}
void weir_omp_set_device_num_teams_(const int* teams, const int* device) { weir_omp_set_device_num_teams(*teams, *device); }
int weir_omp_get_device_teams_thread_limit(int device) { return is_host(device) ? teams_thread_limit() : 0; }
int weir_omp_get_device_teams_thread_limit_(const int* device) { return weir_omp_get_device_teams_thread_limit(*device); }
void weir_omp_set_device_teams_thread_limit(int limit, int device) {
  if (is_host(device)) set_teams_thread_limit(limit);
}
void weir_omp_set_device_teams_thread_limit_(const int* limit, const int* device) {
  weir_omp_set_device_teams_thread_limit(*limit, *device);
}

}  // extern "C"

#define OF_LLVM(name) FOUND_AS(name, "@@VERSION") FOUND_AS(name##_, "@@VERSION")
OF_LLVM(omp_ancestor_is_free_agent)
OF_LLVM(omp_get_device_allocator)
OF_LLVM(omp_get_device_and_host_allocator)
OF_LLVM(omp_get_device_and_host_memspace)
OF_LLVM(omp_get_device_memspace)
OF_LLVM(omp_get_device_num_teams)
OF_LLVM(omp_get_device_teams_thread_limit)
OF_LLVM(omp_get_devices_all_allocator)
OF_LLVM(omp_get_devices_all_memspace)
OF_LLVM(omp_get_devices_allocator)
OF_LLVM(omp_get_devices_and_host_allocator)
OF_LLVM(omp_get_devices_and_host_memspace)
OF_LLVM(omp_get_devices_memspace)
OF_LLVM(omp_get_max_progress_width)
OF_LLVM(omp_get_memspace_num_resources)
OF_LLVM(omp_get_memspace_pagesize)
OF_LLVM(omp_get_submemspace)
OF_LLVM(omp_is_free_agent)
OF_LLVM(omp_set_device_num_teams)
OF_LLVM(omp_set_device_teams_thread_limit)
