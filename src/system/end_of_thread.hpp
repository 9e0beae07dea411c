// What happens at the end of a thread, after the destructors of the language's objects, and again if the destructor of another
// key has made use of Weir since. All rooms share one key of thread-specific data, since a process has few.
#pragma once

namespace weir {

/// In this order: a thread's processor shall end after its crew.
enum class ending : unsigned { crews, threadprivate, program_thread, processor, count };
/// Calls does(what) at the end of the calling thread; null: nothing, and what was set before is forgotten. Async-signal-safe.
void at_end_of_thread(ending which, void (*does)(void*), void* what);

}  // namespace weir
