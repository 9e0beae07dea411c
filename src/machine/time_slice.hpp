// The time slice that the calling thread asks the kernel for.
#pragma once

namespace weir {

/// For this thread and those that it creates later. Its part of the processor stays the same: it gets that in shorter pieces, and
/// when it is woken it need not wait until another program's slice ends. Does nothing where slices cannot be chosen (Linux before
/// 6.12), or the thread has another policy.
void ask_for_shortest_slice() noexcept;
/// The same, beside other programs that run (yield_doubt.hpp).
void ask_for_short_slices() noexcept;

}  // namespace weir
