#include "threads/support/allocator.hpp"

#include <cstdint>

#include <dlfcn.h>
#include <sys/auxv.h>

namespace weir::threads {

constinit code_range allocator_code;

namespace {
constinit bool is_in_program = false;

bool is_in(const code_range& object, const void* address) { return object.has(reinterpret_cast<std::uintptr_t>(address)); }

[[gnu::constructor]] void when_loaded() {
  // The runtime of a sanitizer calls the functions that it replaces in the program's name.
  if (dlsym(RTLD_DEFAULT, "__sanitizer_print_stack_trace") != nullptr) return;
  const code_range program = object_with(reinterpret_cast<const void*>(getauxval(AT_PHDR)));
  const void* const allocates = function_by_name("malloc");
  const void* const in_c_library = dlsym(RTLD_NEXT, "pthread_mutex_trylock");
  if (allocates == nullptr || in_c_library == nullptr) return;
  const code_range object = object_with(allocates);
  if (is_in(object, in_c_library)) return;
  is_in_program = is_in(program, allocates);
  if (!is_in_program) allocator_code = object;
}
}  // namespace

bool program_has_own_allocator() { return is_in_program; }

}  // namespace weir::threads
