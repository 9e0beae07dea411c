#include "threads/posix/interpose.hpp"

#include <gnu/libc-version.h>

namespace weir::threads {

namespace {

constexpr int finds_default_from = 36;  // 2.36

// Without functions for strings: a sanitizer intercepts them, and calls Weir's functions while it is not ready for its own.
bool finds_oldest() {
  const char* const version = gnu_get_libc_version();
  if (version[0] != '2' || version[1] != '.') return false;
  int minor = 0;
  for (const char* at = version + 2; *at >= '0' && *at <= '9'; ++at) minor = 10 * minor + (*at - '0');
  return minor < finds_default_from;
}

void* c_library() {
  static constinit std::atomic<void*> known{nullptr};
  // While it is being opened, an allocator of the program's may call functions that Weir interposes.
  static constinit std::atomic<bool> is_being_opened{false};
  void* library = known.load(std::memory_order_relaxed);  // relaxed, all: all threads find the same, and the first one runs alone
  if (library != nullptr || is_being_opened.exchange(true, std::memory_order_relaxed)) return library;
  known.store(library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), std::memory_order_relaxed);
  is_being_opened.store(false, std::memory_order_relaxed);
  return library;
}

// Early, since handlers may be the first to call a function.
[[gnu::constructor]] void when_loaded() {
  if (finds_oldest()) c_library();
}

bool are_of_one_object(const void* a, const void* b) {
  Dl_info one, other;
  return dladdr(a, &one) != 0 && dladdr(b, &other) != 0 && one.dli_fbase == other.dli_fbase;
}

}  // namespace

void* find_next(const char* name) {
  void* const next = dlsym(RTLD_NEXT, name);
  if (next == nullptr || !finds_oldest() || c_library() == nullptr) return next;
  void* const usual = dlsym(c_library(), name);
  return usual != nullptr && usual != next && are_of_one_object(usual, next) ? usual : next;
}

}  // namespace weir::threads
