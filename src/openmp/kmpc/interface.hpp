// The first two arguments of most functions of this interface: a line of the source, and the number of the calling thread.
#pragma once

#include <cstdint>

namespace weir::openmp {

/// The line of a directive. Most functions do not use it.
struct source_line {
  std::int32_t unused[4];
  const char* text;  // ";file;function;line;column;;"
};

/// A number for the calling thread that no other thread has while it lives.
int global_thread_number();

}  // namespace weir::openmp
