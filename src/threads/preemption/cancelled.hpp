// A member that is cancelled while it blocks in the system on a virtual processor, in a call that nobody knew to block.
//
// The C library sends its signal to the member's own kernel thread, which is parked and is not to be cancelled. The monitor sends
// the same signal to the kernel thread in which the member blocks. There the handler brings the member home, and then lets the
// C library's handler decide: it ends the thread if the call is a cancellation point.
#pragma once

namespace weir::threads {

class processor;

/// Called by the monitor for a processor whose running body has been asked to detach, because it has been cancelled: if the body
/// blocks in the system, it is sent the signal.
void end_call_of_cancelled(processor& on);

}  // namespace weir::threads
