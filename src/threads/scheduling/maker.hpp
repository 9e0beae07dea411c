// The maker: a thread of its own that creates the other threads that Weir needs while bodies run.
//
// pthread_create() waits for locks of the C library, of its heap and of its loader. A body that does not run may hold one of
// them: it has blocked in the system there, or a tick has stopped it in a function that the heap or the loader calls, as a
// sanitizer's. So whoever creates a thread must neither have bodies that only it runs, nor hold the lock of the lists, without
// which no other processor takes them. The monitor cannot create any either: they would inherit its file descriptors.
#pragma once

#include <cstddef>
#include <mutex>

#include "system/kernel_mutex.hpp"

namespace weir::threads {

/// The caller does not hold the lock of the lists.
void start_maker();
/// The caller holds the lock.
void stop_maker();
/// In the child of a fork.
void forget_maker();

/// There shall be all processors for the program's threads, and the signal thread. The caller holds the lock.
void want_helpers_for_all();
/// There shall be a stand-in that has nothing to do. The caller holds the lock. True: it has been wanted for longer than it takes
/// to make.
bool want_stand_in();
/// The same when the first bodies are about to run.
void want_first_stand_in();
/// The maker looks what is wanted, trampolines too. Thread-safe.
void wake_maker();

/// Waits until this number of helpers, or a free stand-in, are there; the lock is given back meanwhile. False: the system refuses
/// a thread.
bool await_helpers(std::unique_lock<kernel_mutex>& lock, std::size_t number);
bool await_stand_in(std::unique_lock<kernel_mutex>& lock);

}  // namespace weir::threads
