// libweir-pthread.so: preloaded, it takes over pthread_barrier_init, _wait and _destroy.
//
// A barrier that processes share is handed on to the C library: its members may run programs that
// know nothing of Weir. Such a barrier is told apart by what lies in its memory: ours carry a mark in
// the last 16 of the type's 32 bytes. The C library uses only the first 20, and the mark is cleared
// whenever it is given a barrier.
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <limits>
#include <pthread.h>

#include "../faces/barrier_core.hpp"

namespace {

struct marked_barrier {
  unsigned char used_by_the_c_library[20];
  std::uint32_t mark;
  weir_barrier_core* core;
};
static_assert(sizeof(marked_barrier) <= sizeof(pthread_barrier_t));
constexpr std::uint32_t our_mark = 0x77656972;  // "weir"

marked_barrier& seen_as_ours(pthread_barrier_t* b) { return *reinterpret_cast<marked_barrier*>(b); }
bool is_ours(pthread_barrier_t* b) { return seen_as_ours(b).mark == our_mark && seen_as_ours(b).core != nullptr; }

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

bool shared_by_processes(const pthread_barrierattr_t* attributes) {
  int shared = PTHREAD_PROCESS_PRIVATE;
  return attributes != nullptr && pthread_barrierattr_getpshared(attributes, &shared) == 0 &&
         shared == PTHREAD_PROCESS_SHARED;
}

}  // namespace

extern "C" {

int pthread_barrier_init(pthread_barrier_t* __restrict barrier, const pthread_barrierattr_t* __restrict attributes,
                         unsigned count) noexcept {
  seen_as_ours(barrier).mark = 0;
  if (shared_by_processes(attributes)) {
    static const auto c_library = next<decltype(&pthread_barrier_init)>("pthread_barrier_init");
    return c_library(barrier, attributes, count);
  }
  if (count == 0 || count > static_cast<unsigned>(std::numeric_limits<int>::max())) return EINVAL;
  weir_barrier_core* const core = weir::faces::take_core(count);
  if (core == nullptr) return ENOMEM;
  seen_as_ours(barrier).core = core;
  seen_as_ours(barrier).mark = our_mark;
  return 0;
}

int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  if (!is_ours(barrier)) [[unlikely]] {
    static const auto c_library = next<decltype(&pthread_barrier_wait)>("pthread_barrier_wait");
    return c_library(barrier);
  }
  weir_barrier_core& core = *seen_as_ours(barrier).core;
  const auto [phase, last] = core.arrive(1, [] {});
  if (last) return PTHREAD_BARRIER_SERIAL_THREAD;
  core.wait(phase);
  return 0;
}

int pthread_barrier_destroy(pthread_barrier_t* barrier) noexcept {
  if (!is_ours(barrier)) {
    static const auto c_library = next<decltype(&pthread_barrier_destroy)>("pthread_barrier_destroy");
    return c_library(barrier);
  }
  weir_barrier_core* const core = seen_as_ours(barrier).core;
  if (core->in_use()) return EBUSY;
  seen_as_ours(barrier).mark = 0;
  weir::faces::give_core_back(core);
  return 0;
}

}  // extern "C"
