// threadprivate variables where the compiler leaves them to the runtime (Clang with -fnoopenmp-use-tls, Flang): each access
// asks for the thread's own. The process's first thread has the variable itself, every other a copy that lasts as long as
// the thread.
#include <cstddef>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <ranges>
#include <unordered_map>
#include <utility>
#include <vector>

#include <pthread.h>
#include <unistd.h>

#include "openmp/support/annotation.hpp"

using namespace weir::openmp;

namespace {

struct place;

constexpr std::align_val_t alignment{64};
struct give_back {
  void operator()(void* memory) const { ::operator delete(memory, alignment); }
};
using memory = std::unique_ptr<void, give_back>;
memory room_for(std::size_t bytes) { return memory(::operator new(bytes, alignment)); }

struct variable {
  // What a program that has classes says: each may be missing.
  std::function<void(void* own)> make;
  std::function<void(void* own, void* from)> copy;
  std::function<void(void* own)> unmake;
  std::size_t bytes = 0;
  memory beginning;  // its value when a thread first asked: what copies begin with, unless they are made

  void copy_into(void* own, void* from) const {
    if (copy)
      copy(own, from);
    else
      std::memcpy(own, from, bytes);
  }
  memory new_copy() const {
    memory own = room_for(bytes);
    if (make)
      make(own.get());
    else
      copy_into(own.get(), beginning.get());
    return own;
  }
};

/// By address. Variables are never taken away, so that what a thread has found stays.
class registry {
 public:
  void tell(void* address, variable how) {
    const std::lock_guard guard(mutex_);
    variables_.try_emplace(address, std::move(how));
  }
  /// The first to ask does so before the program has changed it.
  const variable& met(void* address, std::size_t bytes) {
    const std::lock_guard guard(mutex_);
    variable& v = variables_[address];
    if (v.bytes == 0) {
      v.bytes = bytes;
      if (!v.make) {
        v.beginning = room_for(bytes);
        v.copy_into(v.beginning.get(), address);
        happens_before(&v);
      }
    }
    happens_after(&v);
    return v;
  }
  // Nobody is in it while the process forks: else it would be locked in the child, by a thread that is not there.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
  std::map<void*, variable> variables_;
};
// Never unmade: threads may end after the program's objects have. Made when the library is loaded, before any thread is.
registry* known = nullptr;

struct threads_own {
  std::unordered_map<void*, void*> found;  // by the variable's address
  std::vector<std::pair<const variable*, memory>> made;
};
thread_local threads_own* own = nullptr;

pthread_key_t end_of_thread;

// What unmakes an object may ask for others, which are made again for it: the system calls this until there are none.
void unmake_all(void* its_own) {
  const std::unique_ptr<threads_own> ending(static_cast<threads_own*>(its_own));
  own = nullptr;
  for (const auto& [of, object] : ending->made | std::views::reverse)
    if (of->unmake) of->unmake(object.get());
}

[[gnu::constructor]] void when_loaded() {
  known = new registry;
  pthread_key_create(&end_of_thread, unmake_all);
  const auto unlock = [] { known->unlock(); };
  pthread_atfork([] { known->lock(); }, unlock, unlock);
}

void* find(void* address, std::size_t bytes) {
  if (own == nullptr) {
    own = new threads_own;
    pthread_setspecific(end_of_thread, own);
  }
  if (const auto at = own->found.find(address); at != own->found.end()) return at->second;
  const variable& v = known->met(address, bytes);
  void* object = address;
  if (gettid() != getpid()) object = own->made.emplace_back(&v, v.new_copy()).second.get();
  own->found[address] = object;
  return object;
}

}  // namespace

extern "C" {

void __kmpc_threadprivate_register(place*, void* address, void* (*make)(void*), void* (*copy)(void*, void*),
                                   void (*unmake)(void*)) {
  variable how;
  if (make != nullptr) how.make = make;
  if (copy != nullptr) how.copy = copy;
  if (unmake != nullptr) how.unmake = unmake;
  known->tell(address, std::move(how));
}
void __kmpc_threadprivate_register_vec(place*, void* address, void* (*make)(void*, std::size_t),
                                       void* (*copy)(void*, void*, std::size_t), void (*unmake)(void*, std::size_t),
                                       std::size_t count) {
  variable how;
  if (make != nullptr) how.make = [=](void* object) { make(object, count); };
  if (copy != nullptr) how.copy = [=](void* object, void* from) { copy(object, from, count); };
  if (unmake != nullptr) how.unmake = [=](void* object) { unmake(object, count); };
  known->tell(address, std::move(how));
}

void* __kmpc_threadprivate(place*, int, void* address, std::size_t bytes) { return find(address, bytes); }
// The cache stays empty: compilers that look into it themselves take threads' numbers for places in it, and ours have no bound.
void* __kmpc_threadprivate_cached(place*, int, void* address, std::size_t bytes, void***) { return find(address, bytes); }

}  // extern "C"
