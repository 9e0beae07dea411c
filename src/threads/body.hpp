// A body: a thread that lends its stack, its registers and its thread pointer to virtual processors.
//
//     pthread_create             lend()               go_home()                     return
//   ------------------> begins -----------> lent --------------------> at home ------------------> ended
//                                           |  ^                       as a kernel thread
//                                   resumed |  | suspended
//                                           v  |                       its kernel thread sleeps while it is lent
//                                          runs on a virtual processor
//
// A body that is suspended may go home wherever it has stopped; what it does at home the kernel schedules.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <signal.h>

#include "threads/switch.hpp"

namespace weir::threads {

class processor;

struct body {
  context at = nullptr;         // while it is suspended
  void* thread_pointer = nullptr;
  processor* on = nullptr;      // that drives it; of a body at home: null
  body* next = nullptr;         // in a list of ready bodies, or of sleeping ones
  const std::atomic<std::uint32_t>* awaits = nullptr;  // the word that it sleeps on

  std::uint64_t interrupted_at = 0;  // when the timer has looked the last time (quantum.cpp)

  void (*run)(void*) = nullptr;
  void* what = nullptr;
  std::atomic<std::uint32_t> home{0};  // 1: its kernel thread goes on
  sigset_t signals;                    // that are blocked there

  /// Its kernel thread goes on where it has been suspended. Whoever calls this owns the body: it is in no list, and does not run.
  void go_home();
};

/// The calling thread's own; null: it is not driven by a virtual processor, nor drives one.
extern constinit thread_local body* this_body;

/// Is the calling thread a body that another thread drives?
inline bool is_lent() { return this_body != nullptr && this_body->run != nullptr; }

/// Makes a thread whose body is lent to `on` at once, and begins with `run(what)` there. It goes home at its end.
/// `stack_bytes`: 0: as the system has it. 0, or why the system refuses (errno). Thread-safe.
int start(void (*run)(void*), void* what, processor& on, std::size_t stack_bytes);

}  // namespace weir::threads
