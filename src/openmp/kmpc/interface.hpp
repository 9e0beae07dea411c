// The common part of the files of this interface. The first two arguments of most functions are a line of the source, and the
// number of the calling thread.
#pragma once

#include <cstdint>

namespace weir::openmp {

/// The line of a directive. Most functions do not use it.
struct source_line {
  static constexpr std::int32_t atomic_reduction = 0x10;  // the code of this reduction has atomic operations, too
  std::int32_t unused, flags, more_unused[2];
  const char* text;  // ";file;function;line;column;;"
};

struct member;
struct task;

/// The runtime's part of a task that the compiler's code knows by this address.
task& runtime_task(void* of_compiler);
/// The task has a copy of a variable that is to be combined at its end.
void combines_at_end(task&);
/// The end of such a task, in the thread that has executed it.
void combine_at_end(member&, const task&);

/// A number for the calling thread that no other thread has while it lives.
int global_thread_number();

}  // namespace weir::openmp
