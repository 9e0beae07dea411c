// A file's beginning, without the functions of the C library (raw_call.hpp). Those that Weir replaces ask the dynamic linker for
// the C library's own at their first call: under a lock of Weir's, or the dynamic linker's, that is a deadlock with a thread that
// loads a library.
#pragma once

#include <cstddef>

#include <fcntl.h>

#include "raw_call.hpp"

namespace weir {

/// Reads at most this number of bytes. Returns how many it read; less than zero: -errno. Async-signal-safe.
inline long read_by_kernel(const char* name, void* to, std::size_t most, long from = 0) {
  const long file = raw_call(SYS_openat, AT_FDCWD, as_argument(name), O_RDONLY | O_CLOEXEC);
  if (file < 0) return file;
  const long got = raw_call(SYS_pread64, file, as_argument(to), static_cast<long>(most), from);
  raw_call(SYS_close, file);
  return got;
}

/// As much of a text as there is room for, with a zero behind it. How long it is; 0: the file is empty, or cannot be read.
/// Async-signal-safe.
template <std::size_t N>
std::size_t text_by_kernel(const char* name, char (&to)[N]) {
  const long bytes = read_by_kernel(name, to, N - 1);
  const std::size_t length = bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
  to[length] = 0;
  return length;
}

}  // namespace weir
