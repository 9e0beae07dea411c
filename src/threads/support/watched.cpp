#include "threads/support/watched.hpp"

#include <cstring>

#include <dlfcn.h>
#include <link.h>

#include "threads/support/code.hpp"
#include "threads/support/valgrind.hpp"

extern "C" {
/// In programs that contain Weir and are built with ThreadSanitizer.
[[gnu::weak]] void __tsan_init();
}

namespace weir::threads {

namespace {

/// ThreadSanitizer, a library or a part of the program, comes before the C library with all functions of locks. Weir has no such function.
bool is_replaced(const char* name) {
  const void* const its = function_by_name(name);
  const void* const in_c_library = dlsym(RTLD_NEXT, "gnu_get_libc_version");
  return its != nullptr && in_c_library != nullptr && !object_with(in_c_library).has(reinterpret_cast<std::uintptr_t>(its));
}

/// Such tools of Valgrind load a library of their own.
bool has_loaded(const char* part_of_name) {
  return dl_iterate_phdr(
             [](dl_phdr_info* object, std::size_t, void* part) {
               return std::strstr(object->dlpi_name, static_cast<const char*>(part)) != nullptr ? 1 : 0;
             },
             const_cast<char*>(part_of_name)) != 0;
}

}  // namespace

bool order_is_watched() {
  static const bool is_so = &__tsan_init != nullptr || is_replaced("pthread_spin_destroy") ||
                            (runs_on_valgrind() && (has_loaded("/vgpreload_helgrind-") || has_loaded("/vgpreload_drd-")));
  return is_so;
}

}  // namespace weir::threads
