// Where the program has called the runtime, for messages.
#pragma once

#include <string>

namespace weir::openmp {

/// The instruction outside of this library from which the library was called; null if it cannot be found. If the compiler has
/// turned the last call of a function into a jump, the result is the place where that function was called. Takes microseconds.
const void* call_site();

/// The text of call_site(), which is looked up once for each place.
const std::string& place_of_call();

/// "file.c:12 (function)" if the program has debugging information and the system has addr2line; otherwise what is known: a
/// function that the dynamic linker knows, the file and the address in it, which addr2line takes.
std::string text_of(const void* call_site);

}  // namespace weir::openmp
