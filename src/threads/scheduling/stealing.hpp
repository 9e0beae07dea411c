// What a processor that has nothing to do finds elsewhere: bodies to steal.
#pragma once

#include "threads/scheduling/processor.hpp"

namespace weir::threads {

/// For a processor that has nothing to do: steals from the others. True: it has bodies now.
bool steal_for(processor& thief);
/// One of the helpers for the program's threads whose thread sleeps, and that has nothing to do; null: there is none.
processor* idle_helper();
/// One of the helpers that those threads may use now; null: there is none, or somebody else has the lock.
processor* helper_in_use(unsigned number);

}  // namespace weir::threads
