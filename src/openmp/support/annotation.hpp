// Tells ThreadSanitizer what the runtime orders, in programs that are built with it. This library is not: ThreadSanitizer
// sees none of its atomic operations, and would report accesses that a barrier orders as a race.
//
// Only what the specification orders is annotated, so that races of the program remain visible: the setup of a loop, for example,
// orders nothing of the program's, whatever the runtime waits for there.
#pragma once

extern "C" {
// Defined by a program that is built with ThreadSanitizer, or by its libtsan; otherwise null.
[[gnu::weak]] void __tsan_release(void* address);
[[gnu::weak]] void __tsan_acquire(void* address);
}

namespace weir::openmp {

/// Is the program built with ThreadSanitizer?
inline bool annotated() { return __tsan_release != nullptr; }

/// What this thread has done so far happens before what any thread does after its happens_after() with the same address.
inline void happens_before(const void* address) {
  if (annotated()) [[unlikely]] __tsan_release(const_cast<void*>(address));
}
inline void happens_after(const void* address) {
  if (annotated()) [[unlikely]] __tsan_acquire(const_cast<void*>(address));
}

}  // namespace weir::openmp
