// What a processor that has nothing to do finds elsewhere: bodies to steal, or a processor of the kernel that is free.
#pragma once

#include "threads/scheduling/processor.hpp"

namespace weir::threads {

/// For a processor that has nothing to do: steals from the others. True: it has bodies now.
bool steal_for(processor& mine);
/// One of the helpers for the program's threads whose thread sleeps, and that has nothing to do; null: there is none.
processor* idle_helper();
/// For the thread that drives the processor, while it waits: if two helpers run on one processor of the kernel, one moves to a
/// free processor. The kernel would leave both there for some milliseconds, each waiting for the other.
void live_apart(const processor& mine);

}  // namespace weir::threads
