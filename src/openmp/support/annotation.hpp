// Tells ThreadSanitizer what the runtime orders, in programs that are built with ThreadSanitizer. This library is not built with
// it, so ThreadSanitizer sees none of the library's atomic operations, and would report a race between accesses that a barrier
// orders.
//
// Only orderings of the specification are annotated, so that races of the program remain visible. For example, the setup of a
// loop orders nothing in the program, whatever the runtime waits for there.
#pragma once

extern "C" {
// Defined by a program that is built with ThreadSanitizer, or by its libtsan; otherwise null.
[[gnu::weak]] void __tsan_release(void* address);
[[gnu::weak]] void __tsan_acquire(void* address);
}

namespace weir::openmp {

/// Is the program built with ThreadSanitizer?
inline bool annotated() { return __tsan_release != nullptr; }

/// Everything that this thread has done so far happens before everything that any thread does after happens_after() with this
/// address.
inline void happens_before(const void* address) {
  if (annotated()) [[unlikely]] __tsan_release(const_cast<void*>(address));
}
inline void happens_after(const void* address) {
  if (annotated()) [[unlikely]] __tsan_acquire(const_cast<void*>(address));
}

}  // namespace weir::openmp
