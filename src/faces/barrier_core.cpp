#include "barrier_core.hpp"

#include <mutex>
#include <new>

#include <weir/barrier.hpp>

namespace weir::faces {

namespace {
std::mutex pool_mutex;
weir_barrier_core* free_cores = nullptr;
}  // namespace

weir_barrier_core* take_core(unsigned members) noexcept {
  const bool shared = detail::crowded(members);
  const std::lock_guard lock(pool_mutex);
  if (weir_barrier_core* const core = free_cores) {
    free_cores = core->next_free;
    core->reuse(members, shared);
    return core;
  }
  return new (std::nothrow) weir_barrier_core(members, shared);
}

void give_core_back(weir_barrier_core* core) noexcept {
  const std::lock_guard lock(pool_mutex);
  core->next_free = free_cores;
  free_cores = core;
}

}  // namespace weir::faces
