#include "threads/support/allocator.hpp"

#include <algorithm>

#include <dlfcn.h>
#include <link.h>

namespace weir::threads {

constinit code_range allocator_code;

namespace {
constinit bool is_in_program = false;

/// In a program at a fixed address, a function whose address the program takes seems to be in the program, though it is a library's.
bool is_only_called_there(const void* function) {
  Dl_info its;
  const ElfW(Sym)* symbol = nullptr;
  return dladdr1(function, &its, reinterpret_cast<void**>(const_cast<ElfW(Sym)**>(&symbol)), RTLD_DL_SYMENT) != 0 && symbol != nullptr &&
         symbol->st_shndx == SHN_UNDEF;
}

[[gnu::constructor]] void when_loaded() {
  // The runtime of a sanitizer calls the functions that it replaces in the program's name.
  if (dlsym(RTLD_DEFAULT, "__sanitizer_print_stack_trace") != nullptr) return;
  const void* allocates = dlsym(RTLD_DEFAULT, "malloc");
  if (allocates != nullptr && is_only_called_there(allocates)) allocates = dlsym(RTLD_NEXT, "malloc");
  Dl_info its, of_c_library;
  link_map* object = nullptr;
  const void* const in_c_library = dlsym(RTLD_NEXT, "pthread_mutex_trylock");
  if (allocates == nullptr || in_c_library == nullptr || dladdr(in_c_library, &of_c_library) == 0 ||
      dladdr1(allocates, &its, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) == 0 || its.dli_fbase == of_c_library.dli_fbase)
    return;
  is_in_program = object == _r_debug.r_map;  // the list begins with the program
  if (!is_in_program) allocator_code = object_with(allocates);
}
}  // namespace

bool program_has_own_allocator() { return is_in_program; }

}  // namespace weir::threads
