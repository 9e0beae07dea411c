// Whose code is it: the program's, Weir's, an allocator's, or that on which all programs stand?
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

// An allocator that takes the place of the C library's (jemalloc, tcmalloc, mimalloc, as a library of its own) waits by functions
// that Weir interposes. A thread that waits there may hold other locks of the allocator, so Weir must not allocate in its name,
// nor switch to another body that might allocate. Weir itself allocates under its own locks, and a thread that holds a lock of
// the allocator must then not need Weir's. So a wait in the allocator's code is the C library's.

/// Written when the library is loaded; empty: the C library's own, or one that is a part of the program.
extern constinit code_range allocator_code;
inline bool is_in_allocator(std::uintptr_t code) { return allocator_code.has(code); }
/// With __builtin_return_address(0), in a function that interposes one of the C library.
inline bool is_called_by_allocator(const void* return_address) {
  return is_in_allocator(reinterpret_cast<std::uintptr_t>(return_address));
}
/// Is the allocator a part of the program itself, where its code is not known from the program's?
bool program_has_own_allocator();

}  // namespace weir::threads
