// Programs and threads that stay with the kernel, though all threads are to be members (WEIR_THREADS=all).
#pragma once

namespace weir::threads {

/// Is a runtime in the process that schedules threads of its own, and interrupts them by signals: Go's, a Java or .NET machine,
/// Erlang's? Looks again only where objects have been loaded since. Thread-safe.
bool has_own_scheduler();
/// The same, as it was found last. Async-signal-safe.
bool own_scheduler_is_known();
/// Does this function belong to a driver (CUDA, OpenCL, OpenGL), which creates threads for itself? Asked after
/// has_own_scheduler(), which counts the objects. Thread-safe.
bool is_of_driver(const void* function);

}  // namespace weir::threads
