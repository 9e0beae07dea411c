// The alternate signal stacks of bodies.
//
// The kernel has one for each of its own threads, and every thread of a Rust program has one. So a body brings along the stack that it has
// in its own kernel thread, and a switch between bodies that have different ones tells the kernel.
#pragma once

#include <cstdint>

#include <signal.h>

namespace weir::threads {

struct alternate_stack {
  std::uint64_t number = 0;  // another one for each that a thread has got; 0: none
  stack_t its{};
};

/// Called by a thread in its own kernel thread, before it gets another one or none.
void note_change_of_alternate_stack();
/// What the calling thread has, in its own kernel thread.
const alternate_stack& alternate_stack_of_thread();
/// The calling kernel thread has it from now on. Its code runs on none that it has had before.
void set_alternate_stack(const alternate_stack& to);

}  // namespace weir::threads
