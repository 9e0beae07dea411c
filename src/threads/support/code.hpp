// Whose code is it: the program's, Weir's, or that on which all programs stand?
#pragma once

#include <cstdint>

struct dl_phdr_info;

namespace weir::threads {

struct code_range {
  std::uintptr_t first = 0, last = 0;
  bool has(std::uintptr_t code) const { return code >= first && code < last; }
};
/// The code of a loaded object, with all of its data.
code_range range_of(const dl_phdr_info& object);
/// The same of the one with this address.
code_range object_with(const void* address);
/// The function of this name that the program calls, if it calls it; null: there is none.
const void* function_by_name(const char* name);

/// Is that the code of Weir's library? Loops there know how to yield. In a program that contains Weir, because it is linked with
/// it, the two cannot be told apart: false.
bool is_own_code(std::uintptr_t code);
/// The code of the C library, of the dynamic linker and of an allocator, once it is known. A thread there may hold a lock that
/// Weir needs, and does not poll for another thread.
bool is_system_code(std::uintptr_t code);
/// On which programs stand: that, and the code of this library, also where it is a part of the program.
bool is_base_code(std::uintptr_t code);
void know_system_code();

}  // namespace weir::threads
