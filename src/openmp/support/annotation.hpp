// What orders the program's own code, for ThreadSanitizer in programs that are built with it: it sees no atomic operation of
// this library, which is not, and would take what a barrier orders for a race.
//
// Only what the specification orders is said, so that races of the program stay visible: the setup of a loop, say, orders
// nothing of the program's, whatever the runtime waits for there.
#pragma once

extern "C" {
// The program has them, or libtsan, which it is linked to; without either they are null.
[[gnu::weak]] void __tsan_release(void* address);
[[gnu::weak]] void __tsan_acquire(void* address);
}

namespace weir::openmp {

/// Is the program watched?
inline bool annotated() { return __tsan_release != nullptr; }

/// What this thread did so far happens before what any does after its happens_after() of that address.
inline void happens_before(const void* address) {
  if (annotated()) [[unlikely]] __tsan_release(const_cast<void*>(address));
}
inline void happens_after(const void* address) {
  if (annotated()) [[unlikely]] __tsan_acquire(const_cast<void*>(address));
}

}  // namespace weir::openmp
