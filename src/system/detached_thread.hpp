// Threads that nobody joins.
#pragma once

#include <atomic>
#include <cstddef>

#include <pthread.h>
#include <signal.h>

namespace weir {

/// While the calling thread creates a thread that is not the program's (threads/posix/lives.cpp).
inline constinit thread_local bool creates_for_weir = false;

using creates_thread = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
/// By which function threads are created that run no code of the program: pthread_create() itself is a sanitizer's in some
/// programs, which may hold a lock while it calls Weir's, which starts such a thread (posix/lives.cpp). relaxed: written while
/// the library is loaded.
inline constinit std::atomic<creates_thread*> creates_service{pthread_create};

/// Starts a thread that begins with `run(what)`. `stack_bytes`: 0 is the system's default. `blocked`: the signals that the thread
/// blocks; null: those that the caller blocks. Returns 0, or the reason why the system refuses (errno). Thread-safe.
inline int start_detached(void* (*run)(void*), void* what, std::size_t stack_bytes, const sigset_t* blocked = nullptr,
                          creates_thread* create = pthread_create) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (stack_bytes != 0) pthread_attr_setstacksize(&attributes, stack_bytes);
  if (blocked != nullptr) pthread_attr_setsigmask_np(&attributes, blocked);
  pthread_t thread;
  creates_for_weir = true;
  const int error = create(&thread, &attributes, run, what);
  creates_for_weir = false;
  pthread_attr_destroy(&attributes);
  return error;
}

/// Starts a thread that runs no code of the program: signals that the process gets are for the program's threads, so it blocks
/// all. Its stack has 64 KiB beside what the C library keeps there: thread-local storage, which may be large. False: the system
/// refuses. Thread-safe.
bool start_service(void* (*run)(void*), void* what);

}  // namespace weir
