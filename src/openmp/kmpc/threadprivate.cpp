// threadprivate variables, if the compiler leaves them to the runtime (Clang with -fnoopenmp-use-tls, Flang). Each access asks
// for the thread's own copy. The process's first thread has the variable itself; each other thread has a copy that lasts as long
// as the thread.
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

#include "openmp/kmpc/interface.hpp"
#include "openmp/support/annotation.hpp"
#include "system/end_of_thread.hpp"
#include "system/fork_page.hpp"
#include "system/kernel_mutex.hpp"
#include "threads/threads.hpp"

using namespace weir::openmp;

namespace {

constexpr std::align_val_t alignment{64};
struct give_back {
  void operator()(void* memory) const { ::operator delete(memory, alignment); }
};
using memory = std::unique_ptr<void, give_back>;
memory allocate(std::size_t bytes) { return memory(::operator new(bytes, alignment)); }

struct variable {
  // The functions that a program with classes registers; each may be missing.
  std::function<void(void* own)> construct;
  std::function<void(void* own, void* from)> copy;
  std::function<void(void* own)> destroy;
  std::size_t bytes = 0;
  memory initial;  // the variable's value when a thread first asked; copies begin with it unless they are constructed

  void copy_into(void* own, void* from) const {
    if (copy)
      copy(own, from);
    else
      std::memcpy(own, from, bytes);
  }
  memory new_copy() const {
    memory own = allocate(bytes);
    if (construct)
      construct(own.get());
    else
      copy_into(own.get(), initial.get());
    return own;
  }
};

// Held while the process forks: otherwise it might be locked in the child by a thread that does not exist there.
WEIR_WRITTEN_BY_FORKS constinit weir::kernel_mutex changing;
WEIR_RUN_BY_FORKS void before_fork() { changing.lock(); }
WEIR_RUN_BY_FORKS void after_fork() { changing.unlock(); }

/// The variables by address. They are never removed, so an entry that a thread has found remains valid.
class registry {
 public:
  void add(void* address, variable how) {
    const std::lock_guard guard(changing);
    variables_.try_emplace(address, std::move(how));
  }
  /// The first thread to ask does so before the program has changed the variable.
  const variable& find(void* address, std::size_t bytes) {
    const std::lock_guard guard(changing);
    variable& v = variables_[address];
    if (v.bytes == 0) {
      v.bytes = bytes;
      if (!v.construct) {
        v.initial = allocate(bytes);
        v.copy_into(v.initial.get(), address);
        happens_before(&v);
      }
    }
    happens_after(&v);
    return v;
  }

 private:
  std::map<void*, variable> variables_;
};
// Never destroyed: threads may end after the program's objects have been. Created when the library is loaded, before any thread.
registry* known = nullptr;

struct threads_own {
  std::unordered_map<void*, void*> found;  // by the variable's address
  std::vector<std::pair<const variable*, memory>> made;
};
thread_local threads_own* own = nullptr;

// A destructor may ask for other objects, which are then created again: the system calls this until there are none.
void destroy_all(void* its_own) {
  const std::unique_ptr<threads_own> ending(static_cast<threads_own*>(its_own));
  own = nullptr;
  for (const auto& [of, object] : ending->made | std::views::reverse)
    if (of->destroy) of->destroy(object.get());
}

[[gnu::constructor]] void when_loaded() {
  known = new registry;
  pthread_atfork(before_fork, after_fork, after_fork);
}

void* find(void* address, std::size_t bytes) {
  if (own == nullptr) {
    own = new threads_own;
    weir::at_end_of_thread(weir::ending::threadprivate, destroy_all, own);
  }
  if (const auto at = own->found.find(address); at != own->found.end()) return at->second;
  const variable& v = known->find(address, bytes);
  void* object = address;
  // To the kernel, a member on a virtual processor is the virtual processor's thread, which may be the first thread.
  if (gettid() != getpid() || weir::threads::is_started()) object = own->made.emplace_back(&v, v.new_copy()).second.get();
  own->found[address] = object;
  return object;
}

}  // namespace

extern "C" {

void __kmpc_threadprivate_register(source_line*, void* address, void* (*construct)(void*), void* (*copy)(void*, void*),
                                   void (*destroy)(void*)) {
  variable how;
  if (construct != nullptr) how.construct = construct;
  if (copy != nullptr) how.copy = copy;
  if (destroy != nullptr) how.destroy = destroy;
  known->add(address, std::move(how));
}
void __kmpc_threadprivate_register_vec(source_line*, void* address, void* (*construct)(void*, std::size_t),
                                       void* (*copy)(void*, void*, std::size_t), void (*destroy)(void*, std::size_t),
                                       std::size_t count) {
  variable how;
  if (construct != nullptr) how.construct = [=](void* object) { construct(object, count); };
  if (copy != nullptr) how.copy = [=](void* object, void* from) { copy(object, from, count); };
  if (destroy != nullptr) how.destroy = [=](void* object) { destroy(object, count); };
  known->add(address, std::move(how));
}

void* __kmpc_threadprivate(source_line*, int, void* address, std::size_t bytes) { return find(address, bytes); }
// The cache stays empty: compilers that read it themselves use thread numbers as indices, and ours have no bound.
void* __kmpc_threadprivate_cached(source_line*, int, void* address, std::size_t bytes, void***) {
  return find(address, bytes);
}

}  // extern "C"
