#include <weir/barrier.h>

#include <cerrno>
#include <exception>
#include <limits>
#include <new>
#include <string>

#include <weir/team_barrier.hpp>

#include "barrier_core.hpp"

struct weir_team_barrier {
  weir::team_barrier<> barrier;
};

namespace {

thread_local std::string last_error;

int fail(int code, const char* what) noexcept {
  try {
    last_error = what;
  } catch (...) {
    last_error.clear();
  }
  return code;
}

}  // namespace

int weir_barrier_init(weir_barrier_t* barrier, const weir_barrierattr_t* attributes, unsigned count) {
  if (barrier == nullptr) return fail(EINVAL, "weir_barrier_init: the barrier is NULL");
  barrier->core = nullptr;
  if (attributes != nullptr) return fail(EINVAL, "weir_barrier_init: attributes are reserved, pass NULL");
  if (count == 0) return fail(EINVAL, "weir_barrier_init: a barrier needs at least 1 thread, not 0");
  if (count > static_cast<unsigned>(std::numeric_limits<int>::max()))
    return fail(EINVAL, "weir_barrier_init: too many threads");
  barrier->core = weir::interfaces::take_core(count);
  return barrier->core == nullptr ? fail(ENOMEM, "weir_barrier_init: no memory") : 0;
}

int weir_barrier_wait(weir_barrier_t* barrier) {
  if (barrier == nullptr || barrier->core == nullptr) [[unlikely]]
    return fail(EINVAL, "weir_barrier_wait: the barrier is not initialised");
  weir_barrier_core& core = *barrier->core;
  const auto [phase, last] = core.arrive(1, [] {});
  if (last) return WEIR_BARRIER_SERIAL_THREAD;
  core.wait(phase);
  return 0;
}

int weir_barrier_destroy(weir_barrier_t* barrier) {
  if (barrier == nullptr || barrier->core == nullptr)
    return fail(EINVAL, "weir_barrier_destroy: the barrier is not initialised");
  if (barrier->core->in_use()) return fail(EBUSY, "weir_barrier_destroy: threads wait at the barrier");
  weir::interfaces::give_core_back(barrier->core);
  barrier->core = nullptr;
  return 0;
}

int weir_team_barrier_create(weir_team_barrier_t** barrier, unsigned members, const char* algorithm,
                             const char* waiting, const int* placement) {
  if (barrier == nullptr) return fail(EINVAL, "weir_team_barrier_create: the place for the barrier is NULL");
  *barrier = nullptr;
  try {
    weir::team_options options;
    if (algorithm != nullptr) options.algorithm = algorithm;
    if (waiting != nullptr) options.waiting = waiting;
    if (placement != nullptr && members <= weir::max_members) options.placement.assign(placement, placement + members);
    *barrier = new weir_team_barrier{weir::team_barrier<>(members, options)};
    return 0;
  } catch (const std::bad_alloc&) {
    return fail(ENOMEM, "weir_team_barrier_create: no memory");
  } catch (const std::exception& e) {
    return fail(EINVAL, e.what());
  }
}

int weir_team_barrier_wait(weir_team_barrier_t* barrier, unsigned member) {
  if (barrier == nullptr) return fail(EINVAL, "weir_team_barrier_wait: the barrier is NULL");
  try {
    barrier->barrier.arrive_and_wait(member);
    return 0;
  } catch (const std::exception& e) {
    return fail(EINVAL, e.what());
  }
}

void weir_team_barrier_destroy(weir_team_barrier_t* barrier) { delete barrier; }

const char* weir_last_error(void) { return last_error.c_str(); }
