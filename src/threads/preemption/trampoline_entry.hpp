// Where trampolines lead.
#pragma once

#include "threads/polling/trampolines.hpp"

namespace weir::threads {

/// The code that lets a member yield; null: this processor does not let a trampoline keep all registers that it has. The first
/// call asks the processor. Async-signal-safe.
trampoline_code trampoline_entry();

}  // namespace weir::threads
