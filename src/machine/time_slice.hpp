// The time slice for which the calling thread asks the kernel.
#pragma once

namespace weir {

/// Applies to this thread and to threads that it creates later. The thread's share of the processor stays the same, but comes in
/// shorter pieces, and a woken thread need not wait until another program's slice ends. Does nothing if slices cannot be chosen
/// (Linux before 6.12), or if the thread has another scheduling policy.
void ask_for_shortest_slice() noexcept;
/// The same, but only if other programs run (yield_doubt.hpp).
void ask_for_short_slices() noexcept;

}  // namespace weir
