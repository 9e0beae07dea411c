#include "threads/support/code.hpp"

#include <algorithm>

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

namespace weir::threads {

constinit code_range allocator_code;

namespace {
code_range this_code;
bool is_of_library = false;  // not of the program
code_range system_code[3];
constinit bool allocator_is_in_program = false;

bool is_in(const code_range& object, const void* address) { return object.has(reinterpret_cast<std::uintptr_t>(address)); }

void look_for_allocator() {
  // The runtime of a sanitizer calls the functions that it replaces in the program's name.
  if (dlsym(RTLD_DEFAULT, "__sanitizer_print_stack_trace") != nullptr) return;
  const code_range program = object_with(reinterpret_cast<const void*>(getauxval(AT_PHDR)));
  const void* const allocates = function_by_name("malloc");
  const void* const in_c_library = dlsym(RTLD_NEXT, "pthread_mutex_trylock");
  if (allocates == nullptr || in_c_library == nullptr) return;
  const code_range object = object_with(allocates);
  if (is_in(object, in_c_library)) return;
  allocator_is_in_program = is_in(program, allocates);
  if (!allocator_is_in_program) allocator_code = object;
}

[[gnu::constructor]] void when_loaded() {
  this_code = object_with(reinterpret_cast<const void*>(&is_own_code));
  is_of_library = !this_code.has(getauxval(AT_PHDR));
  look_for_allocator();
}
}  // namespace

code_range range_of(const dl_phdr_info& object) {
  code_range whole{~std::uintptr_t{0}, 0};
  for (unsigned i = 0; i < object.dlpi_phnum; ++i) {
    const auto& part = object.dlpi_phdr[i];
    if (part.p_type != PT_LOAD) continue;
    whole.first = std::min<std::uintptr_t>(whole.first, object.dlpi_addr + part.p_vaddr);
    whole.last = std::max<std::uintptr_t>(whole.last, object.dlpi_addr + part.p_vaddr + part.p_memsz);
  }
  return whole;
}
code_range object_with(const void* address) {
  struct search {
    std::uintptr_t address;
    code_range found;
  } s{reinterpret_cast<std::uintptr_t>(address), {}};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* to) {
        auto& wanted = *static_cast<search*>(to);
        const code_range whole = range_of(*object);
        if (!whole.has(wanted.address)) return 0;
        wanted.found = whole;
        return 1;
      },
      &s);
  return s.found;
}

namespace {
/// In a program at a fixed address, a function whose address the program takes seems to be in the program, though it is a
/// library's.
bool is_only_called_there(const void* function) {
  Dl_info object;
  const ElfW(Sym)* symbol = nullptr;
  return dladdr1(function, &object, reinterpret_cast<void**>(const_cast<ElfW(Sym)**>(&symbol)), RTLD_DL_SYMENT) != 0 &&
         symbol != nullptr && symbol->st_shndx == SHN_UNDEF;
}
}  // namespace
// By addresses alone first: dladdr() compares all symbols of an object, which took half of the instructions of loading this
// library.
const void* function_by_name(const char* name) {
  const void* const found = dlsym(RTLD_DEFAULT, name);
  const code_range program = object_with(reinterpret_cast<const void*>(getauxval(AT_PHDR)));
  return is_in(program, found) && is_only_called_there(found) ? dlsym(RTLD_NEXT, name) : found;
}

bool program_has_own_allocator() { return allocator_is_in_program; }

bool is_own_code(std::uintptr_t code) { return is_of_library && this_code.has(code); }

bool is_system_code(std::uintptr_t code) {
  return std::ranges::any_of(system_code, [code](const code_range& r) { return r.has(code); });
}
bool is_base_code(std::uintptr_t code) { return this_code.has(code) || is_system_code(code); }
void know_system_code() {
  if (system_code[0].last != 0) return;  // handlers may be reading it
  system_code[0] = object_with(dlsym(RTLD_NEXT, "gnu_get_libc_version"));  // no other library has it
  system_code[1] = object_with(&_r_debug);
  system_code[2] = allocator_code;
}

}  // namespace weir::threads
