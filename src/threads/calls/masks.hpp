// The signal mask of a thread, as the program has set it.
#pragma once

#include "threads/scheduling/body.hpp"

namespace weir::threads {

/// The calling thread's body if the body's signal mask is known; null: it is not, and the system is asked when the thread becomes
/// a body.
body* body_with_mask();
/// The program has set that body's mask.
void note_mask(signal_mask now);
/// The same where a jump, or the end of a handler, is about to set it.
void note_mask_to_be(signal_mask now);

}  // namespace weir::threads
