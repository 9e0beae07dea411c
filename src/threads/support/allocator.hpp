// An allocator that takes the place of the C library's: jemalloc, tcmalloc, mimalloc, as a library of its own.
//
// Such an allocator waits by functions that Weir replaces. A thread that waits there may hold other locks of the allocator, so
// Weir must not allocate in its name, nor switch to another body that might allocate. Weir itself allocates under its own locks,
// and whoever holds a lock of the allocator must then not need Weir's. So a wait in the allocator's code is the C library's.
#pragma once

#include <cstdint>

#include "threads/support/code.hpp"

namespace weir::threads {

/// Written when the library is loaded; empty: the C library's own, or one that is a part of the program.
extern constinit code_range allocator_code;
inline bool is_in_allocator(std::uintptr_t code) { return allocator_code.has(code); }
/// With __builtin_return_address(0), in a function that replaces one of the C library.
inline bool is_called_by_allocator(const void* return_address) {
  return is_in_allocator(reinterpret_cast<std::uintptr_t>(return_address));
}
/// Is the allocator a part of the program itself, where its code is not known from the program's?
bool program_has_own_allocator();

}  // namespace weir::threads
