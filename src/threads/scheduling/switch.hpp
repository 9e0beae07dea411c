// From one context to another: the registers that a function call keeps, the stack, the floating-point control and flags,
// and the thread pointer, by which thread_local variables, errno and the C library's own data of a thread are found.
#pragma once

namespace weir::threads {

/// A context that does not run is its stack pointer; everything else is on the stack.
using context = void*;

extern "C" {
/// Saves the caller's context in `*from`, then goes on in `to`, with its thread pointer. Returns when somebody switches to
/// `*from`.
void weir_switch(context* from, context to, void* thread_pointer);
/// Saves the caller's context in `*from`, then calls `park(what)` on the stack that ends at `stack_end`. When `park` returns, the
/// caller's kernel thread goes on in the context that `park` returns. So this call, too, returns wherever somebody switches to
/// `*from`.
void weir_lend(context* from, void* stack_end, context (*park)(void*), void* what);
}

void* thread_pointer();
/// Sets the thread pointer of the calling kernel thread. Everything that is found by the thread pointer is another thread's from
/// then on.
void set_thread_pointer(void* to);
/// From now on why_not_here() and why_not_any_more() say this.
void refuse_members(const char* why);

}  // namespace weir::threads
