#include "detached_thread.hpp"

#include <algorithm>
#include <cerrno>

#include <dlfcn.h>
#include <unistd.h>

namespace weir {

namespace {

constexpr std::size_t usable = 65536, guard = 4096;

// The C library puts the thread-local storage of all objects that are loaded with the program into the stack. This function of
// the GNU C library, which Java and Rust ask as well, says how much that is, with 16 KiB for the thread itself.
constexpr std::size_t counted_as_usable = 16384;
using least_stack = std::size_t(const pthread_attr_t*);
constinit least_stack* least = nullptr;

// Early: a thread that creates another may hold the loader's lock, which dlsym() needs.
[[gnu::constructor(101)]] void when_loaded() {
  least = reinterpret_cast<least_stack*>(dlsym(RTLD_DEFAULT, "__pthread_get_minstack"));
}

/// 0, the system's default: how much the C library needs is not known.
std::size_t service_stack_bytes() {
  if (least == nullptr) return 0;
  pthread_attr_t usual;
  pthread_attr_init(&usual);
  // A signal's frame holds all registers, of which processors to come may have more [sysconf(3), _SC_MINSIGSTKSZ].
  const long frame = std::max(sysconf(_SC_MINSIGSTKSZ), 0L);
  const std::size_t bytes = least(&usual) - counted_as_usable + usable + static_cast<std::size_t>(frame) + guard;
  pthread_attr_destroy(&usual);
  return (bytes + guard - 1) / guard * guard;
}

}  // namespace

bool start_service(void* (*run)(void*), void* what) {
  sigset_t signals;
  sigfillset(&signals);
  const std::size_t bytes = service_stack_bytes();
  creates_thread* const create = creates_service.load(std::memory_order_relaxed);
  int error = start_detached(run, what, bytes, &signals, create);
  if (error == EINVAL && bytes != 0) error = start_detached(run, what, 0, &signals, create);  // too small for this C library
  return error == 0;
}

}  // namespace weir
