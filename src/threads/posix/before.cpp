#include "threads/posix/before.hpp"

namespace weir::threads {

namespace {

void* c_library() {
  static constinit std::atomic<void*> known{nullptr};
  void* its = known.load(std::memory_order_relaxed);  // relaxed: all threads find the same
  if (its == nullptr) known.store(its = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), std::memory_order_relaxed);
  return its;
}

// Early, since handlers may be the first to call a function.
[[gnu::constructor]] void when_loaded() { c_library(); }

bool are_of_one_object(const void* a, const void* b) {
  Dl_info one, other;
  return dladdr(a, &one) != 0 && dladdr(b, &other) != 0 && one.dli_fbase == other.dli_fbase;
}

}  // namespace

void* find_next(const char* name) {
  void* const next = dlsym(RTLD_NEXT, name);
  if (next == nullptr || c_library() == nullptr) return next;
  void* const usual = dlsym(c_library(), name);
  return usual != nullptr && usual != next && are_of_one_object(usual, next) ? usual : next;
}

}  // namespace weir::threads
