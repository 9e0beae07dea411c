#include "threads/support/thread_checkers.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include <dlfcn.h>

#include "system/system_files.hpp"
#include "threads/support/code.hpp"
#include "threads/support/valgrind.hpp"

extern "C" {
/// In programs that contain Weir and are built with ThreadSanitizer.
[[gnu::weak]] void __tsan_init();
}

namespace weir::threads {

namespace {

/// ThreadSanitizer, a library or a part of the program, comes before the C library with all functions of locks. Weir has no such
/// function.
bool is_replaced(const char* name) {
  const void* const function = function_by_name(name);
  const void* const in_c_library = dlsym(RTLD_NEXT, "gnu_get_libc_version");
  return function != nullptr && in_c_library != nullptr &&
         !object_with(in_c_library).has(reinterpret_cast<std::uintptr_t>(function));
}

/// Valgrind does not say which of its tools this is, but it shows the tool's file among the mapped ones.
bool is_under_tool_of_valgrind() {
  constexpr std::string_view tools[] = {"/helgrind-", "/drd-", "/callgrind-"};
  const auto mapped = runs_on_valgrind() ? contents_of("/proc/self/maps") : std::nullopt;
  return mapped && std::ranges::any_of(tools, [&](std::string_view tool) { return mapped->find(tool) != std::string::npos; });
}

}  // namespace

bool has_thread_checker() {
  enum class answer : std::uint8_t { unknown, no, yes };
  static constinit std::atomic<answer> known{answer::unknown};
  answer now = known.load(std::memory_order_relaxed);  // relaxed, both: all who ask find the same
  if (now == answer::unknown) {
    now =
        &__tsan_init != nullptr || is_replaced("pthread_spin_destroy") || is_under_tool_of_valgrind() ? answer::yes : answer::no;
    known.store(now, std::memory_order_relaxed);
  }
  return now == answer::yes;
}

}  // namespace weir::threads
