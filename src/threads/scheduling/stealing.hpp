// What a processor that has nothing to do finds elsewhere: bodies to steal. And where those go that it may not have any more.
#pragma once

#include "threads/scheduling/processor.hpp"

namespace weir::threads {

/// For a processor that has nothing to do: steals from the others. True: it has bodies now.
bool steal_for(processor& thief);
/// One of the helpers that the program's threads may use now; null: there is none, or somebody else has the lock.
processor* helper_in_use(unsigned number);

}  // namespace weir::threads
