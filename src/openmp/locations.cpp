// Where the processors of this machine lie: all that the OpenMP runtime asks of hwloc.
#include <memory>

#include <hwloc.h>
#include <weir/machine/processors.hpp>

#include "settings.hpp"

namespace weir::openmp {

namespace {

using topology = std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)>;

topology read_topology() {
  hwloc_topology_t handle = nullptr;
  if (hwloc_topology_init(&handle) != 0) return {nullptr, &hwloc_topology_destroy};
  topology result(handle, &hwloc_topology_destroy);
  if (hwloc_topology_load(handle) != 0) result.reset();
  return result;
}

int index_above(hwloc_topology_t machine, hwloc_obj_t processor, hwloc_obj_type_t type, int otherwise) {
  const hwloc_obj_t above = hwloc_get_ancestor_obj_by_type(machine, type, processor);
  return above ? static_cast<int>(above->logical_index) : otherwise;
}

// The nearest cache of the highest level that the processor is below; its socket where there is none.
int last_level_cache(hwloc_obj_t processor, int socket) {
  hwloc_obj_t last = nullptr;
  for (hwloc_obj_t above = processor->parent; above != nullptr; above = above->parent)
    if (hwloc_obj_type_is_dcache(above->type)) last = above;
  return last ? static_cast<int>(last->logical_index) : socket;
}

// A NUMA node is no ancestor: it hangs beside what is nearest to it.
int numa_domain(hwloc_topology_t machine, hwloc_obj_t processor) {
  for (hwloc_obj_t node = nullptr; (node = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_NUMANODE, node)) != nullptr;)
    if (hwloc_bitmap_isset(node->cpuset, processor->os_index)) return static_cast<int>(node->logical_index);
  return 0;
}

std::vector<location> read_locations() {
  std::vector<location> result;
  const topology machine = read_topology();
  if (!machine) return result;
  int core = -1, thread = 0;
  for (hwloc_obj_t p = nullptr; (p = hwloc_get_next_obj_by_type(machine.get(), HWLOC_OBJ_PU, p)) != nullptr;) {
    const int number = static_cast<int>(p->os_index);
    const int its_core = index_above(machine.get(), p, HWLOC_OBJ_CORE, static_cast<int>(p->logical_index));
    thread = its_core == core ? thread + 1 : 0;
    core = its_core;
    const int socket = index_above(machine.get(), p, HWLOC_OBJ_PACKAGE, 0);
    result.push_back({number, thread, core, socket, last_level_cache(p, socket), numa_domain(machine.get(), p)});
  }
  return result;
}

}  // namespace

machine_view this_machine() { return {affinity(), usable_processors(), read_locations}; }

}  // namespace weir::openmp
