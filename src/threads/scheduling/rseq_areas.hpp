// Areas for restartable sequences (rseq): what the kernel keeps of them while bodies run on other threads than their own.
//
// A kernel thread has at most one such area. The kernel writes there on which processor the thread runs, and restarts a sequence
// that it finds there whenever it interrupts the thread [rseq(2), in librseq]. For a body that runs on another kernel thread it
// would do neither, and two such bodies could change the data of one processor together. So a thread gives up its area before
// another thread runs its body, or before it runs other bodies. Code that looks at the area then finds it unregistered, and does
// without.
//
// A *spare* area takes the place. It keeps the bodies that run on this kernel thread from registering one of their own there, by
// a system call that Weir does not see: the kernel refuses a second one.
#pragma once

namespace weir::threads {

/// The calling thread, in its own kernel thread, gives up its area. False: it keeps its area for good, because it has registered
/// one itself, or the kernel refuses. Async-signal-safe; a comparison if it has done so before.
bool gives_up_area();
/// A virtual processor's thread does not give up its area, which a fork's child would have: no thread may become a member any
/// more.
void keep_areas();
/// The calling thread belongs to its kernel thread for good, and gets the C library's area back. Anywhere else, and without one,
/// it does nothing.
void takes_area_back();
/// The same for the only thread of a fork's child; the spare is that of the kernel thread that has called fork.
void takes_area_back_in_child(const void* spare_of_parent);
/// The calling kernel thread's spare.
const void* spare_area();
/// The calling thread has registered an area itself.
void note_own_area();

}  // namespace weir::threads
