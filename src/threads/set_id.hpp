// setuid and the like, which the C library does in all threads, by a signal of its own.
//
// Its handler marks the thread whose thread pointer it finds. On a virtual processor's kernel thread that is a body's, whose own
// kernel thread gets the signal, too, so that the first would never be marked, and the caller would wait for ever. So Weir's
// handler stands before the C library's, and sets the kernel thread's own thread pointer meanwhile.
#pragma once

namespace weir::threads {

/// After the first thread has been made: the C library's handler is there. By a claimant.
void stand_before_set_id();

}  // namespace weir::threads
