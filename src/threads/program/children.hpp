// Threads that make a child process without the C library's handlers of forks. Such a child sees the memory of its parent, or a
// copy of it, with what Weir notes of the thread: by these notes the child would run members of its parent. So the thread is
// nobody meanwhile, and in the child this stays so: there everything goes to the C library.
#pragma once

namespace weir {
struct scheduling;
}

namespace weir::threads {

class processor;
struct body;
struct known_thread;

/// What the calling thread is to Weir.
struct standing {
  body *attached = nullptr, *own = nullptr;
  processor* drives = nullptr;
  known_thread* known = nullptr;
  const scheduling* by = nullptr;
  bool stays_in_kernel = false;
  processor* blocks = nullptr;
};
/// The thread is nobody from now on, until restore() in the parent. `waits`: it will be suspended until its child executes a
/// program or ends, and others have its processor meanwhile.
standing set_aside(bool waits);
void restore(const standing& its);
/// The child, which has a copy of the memory, and which the C library's handlers of forks do not know.
void begin_as_copy();
/// For a child that lives beside its parent in the same memory: the thread is left to the kernel for good.
void leave_for_good();

}  // namespace weir::threads
