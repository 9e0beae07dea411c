// On which of the machine's processors virtual processors run: apart from each other.
#pragma once

#include "threads/scheduling/processor.hpp"

namespace weir::threads {

/// For the thread that drives the processor, while it waits: if two helpers run on one processor of the kernel, one moves to a
/// free processor. The kernel would leave both there for some milliseconds, each waiting for the other.
void migrate_to_free_processor(const processor& mine);

}  // namespace weir::threads
