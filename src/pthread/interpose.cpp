// libweir-pthread.so: preloaded, it replaces pthread_barrier_init, _wait and _destroy.
//
// A process-shared barrier is left to the C library: other processes may run without this library. The two
// kinds are told apart by the barrier's memory: ours have a mark in the last 16 of the type's 32 bytes. The C
// library uses only the first 20, and the mark is cleared whenever a barrier is given to it.
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <limits>
#include <pthread.h>

#include "../interfaces/barrier_core.hpp"

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

/// The C library's function of that name. Looked up when this library is loaded: dlsym takes a lock, as the initialization of a
/// local static variable does, and the child of a fork may find that lock taken.
template <class... Arguments>
class of_the_c_library {
  using function = int (*)(Arguments...);

 public:
  explicit constexpr of_the_c_library(const char* name) : name_(name) {}
  void find() {
    // relaxed, both: every thread finds the same function, which was loaded before this library.
    function_.store(reinterpret_cast<function>(dlsym(RTLD_NEXT, name_)), std::memory_order_relaxed);
  }
  function operator*() {
    if (function_.load(std::memory_order_relaxed) == nullptr) find();  // called while another library is loaded
    return function_.load(std::memory_order_relaxed);
  }

 private:
  const char* const name_;
  std::atomic<function> function_{nullptr};
};
constinit of_the_c_library<pthread_barrier_t*, const pthread_barrierattr_t*, unsigned> c_init("pthread_barrier_init");
constinit of_the_c_library<pthread_barrier_t*> c_wait("pthread_barrier_wait"), c_destroy("pthread_barrier_destroy");

[[gnu::constructor]] void when_loaded() {
  c_init.find();
  c_wait.find();
  c_destroy.find();
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
  if (shared_by_processes(attributes)) return (*c_init)(barrier, attributes, count);
  if (count == 0 || count > static_cast<unsigned>(std::numeric_limits<int>::max())) return EINVAL;
  weir_barrier_core* const core = weir::interfaces::take_core(count);
  if (core == nullptr) return ENOMEM;
  seen_as_ours(barrier).core = core;
  seen_as_ours(barrier).mark = our_mark;
  return 0;
}

int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  if (!is_ours(barrier)) [[unlikely]] return (*c_wait)(barrier);
  weir_barrier_core& core = *seen_as_ours(barrier).core;
  const auto [phase, last] = core.arrive(1, [] {});
  if (last) return PTHREAD_BARRIER_SERIAL_THREAD;
  core.wait(phase);
  return 0;
}

int pthread_barrier_destroy(pthread_barrier_t* barrier) noexcept {
  if (!is_ours(barrier)) return (*c_destroy)(barrier);
  weir_barrier_core* const core = seen_as_ours(barrier).core;
  if (core->in_use()) return EBUSY;
  seen_as_ours(barrier).mark = 0;
  weir::interfaces::give_core_back(core);
  return 0;
}

}  // extern "C"
