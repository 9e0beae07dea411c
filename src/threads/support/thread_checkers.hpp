// Tools that see in which order threads access memory, from the functions of the C library by which threads wait for each other:
// ThreadSanitizer, Helgrind, DRD; and Callgrind, which expects that a handler ends in the thread where it began.
#pragma once

namespace weir::threads {

/// Is there one in the process? Then every call is passed on to it, and there are no members: it takes a member, and the kernel
/// thread that the member has left, for one thread (ThreadSanitizer), or the members of a virtual processor for one (Valgrind's).
bool has_thread_checker();

}  // namespace weir::threads
