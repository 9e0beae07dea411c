// setuid and similar functions, which the C library executes in all threads by a signal of its own.
//
// The handler of the C library marks the thread that the thread pointer names. On the kernel thread of a virtual processor, the
// thread pointer names a body, whose own kernel thread gets the signal, too. The virtual processor's thread would therefore never
// be marked, and the caller would wait for ever. So Weir's handler runs before the C library's, and meanwhile sets the kernel
// thread's own thread pointer.
#pragma once

namespace weir::threads {

/// To be called by a claimant, after the first thread has been created: the C library's handler is then installed.
void stand_before_set_id();

}  // namespace weir::threads
