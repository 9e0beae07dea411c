// Which processors and bodies there are, behind one lock: for the files that make processors, claim them, hand them off and steal.
#pragma once

#include <array>
#include <vector>

#include <pthread.h>

#include "machine/kernel_mutex.hpp"
#include "threads/scheduling/processor.hpp"

namespace weir::threads {

/// Memory is reserved at points where it may come from the heap, because the monitor must not allocate.
struct lists {
  std::vector<processor*> helpers, stand_ins;
  std::vector<processor*> all;  // these, and the processors that threads of the program drive
  std::vector<body*> bodies;    // of threads, but for those that drive a processor of their own
  // The processors of threads that have ended. Bodies may still have their seats there, and a thread that has pushed a body may
  // still read them. So these processors are reused, not freed.
  std::vector<processor*> ended;
  unsigned threads_with_bodies = 0;  // threads of the program that drive a processor of their own, or have a body by adopt()
  // Threads that had no body when they were cancelled. The latest only: a thread that is cancelled ends soon.
  std::array<pthread_t, 64> called_early{};
  unsigned called = 0;
};

/// Held by claimants of a queue, too.
extern constinit kernel_mutex pool_lock;
/// Created when the library is loaded, and never destroyed: threads may end after the program's objects.
extern constinit lists* pool;

/// A pointer, because the processor outlives the thread: it may still get bodies, which it sends to their own threads.
extern constinit thread_local processor* own_processor;

/// A helper or a stand-in, with a thread that drives it until the end; null: the system refuses the thread. The caller holds the lock.
processor* new_processor(std::vector<processor*>& kind);

}  // namespace weir::threads
