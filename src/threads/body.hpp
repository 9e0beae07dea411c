// A body: a thread that lends its stack, its registers and its thread pointer to virtual processors.
//
//     pthread_create            go_to(a processor)               go_to(another)
//   ------------------> at home -------------------------> lent ---------------.
//                          ^                               |  ^                |
//                          |                       resumed |  | suspended      |
//                          |                               v  |                |
//                          '------------------- runs on a virtual processor <--'
//                                 go_to(null)
//
// At home a body is a thread of the kernel like any other. While it is lent, its kernel thread sleeps. A body that is suspended
// may go home wherever it has stopped. A processor that has nothing else to do may take a body over from another one; the body
// returns to its seat when it waits.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <signal.h>

#include "threads/switch.hpp"

namespace weir::threads {

class processor;

struct body {
  context at = nullptr;  // while it is suspended
  void* thread_pointer = nullptr;
  processor* on = nullptr;    // that drives it, or is to; null: it is at home, or about to be
  processor* seat = nullptr;  // where it belongs; null: at home
  body* next = nullptr;       // in a list of ready bodies, or of sleeping ones
  const std::atomic<std::uint32_t>* awaits = nullptr;  // the word that it sleeps on; null: none

  // Not zero: it must not be stopped, and what is its processor's changes. relaxed: it is written by the body alone; its handler,
  // on the same thread, leaves it as it was; and a robber has a fence (stealing.cpp).
  std::atomic<std::uint32_t> held{1};
  std::uint64_t interrupted_at = 0;  // when the timer has looked the last time (quantum.cpp)
  std::uint32_t stolen_from = 0;     // how often its processor had switched then (stealing.cpp)

  void (*run)(void*) = nullptr;
  void* what = nullptr;
  void* parking = nullptr;  // the end of the stack on which its kernel thread sleeps; null: it cannot be lent
  std::atomic<std::uint32_t> home{0};  // 1: its kernel thread goes on
  sigset_t signals;                    // that are blocked there

  /// Its kernel thread goes on where it has been suspended. Whoever calls this owns the body: it is in no list, and does not run.
  void go_home();
  /// In its kernel thread, where it goes on.
  void arrive_home();
};

/// The calling thread's own; null: it is not driven by a virtual processor, nor drives one.
extern constinit thread_local body* this_body;

/// Was the calling thread made by start()? Its identity to the kernel may then be another thread's.
bool is_body();

/// Makes a thread that begins with `run(what)`: on that processor, or, if it is null, at home. It goes home at its end.
/// `stack_bytes`: 0: as the system has it. 0, or why the system refuses (errno). Thread-safe.
int start(void (*run)(void*), void* what, processor* on, std::size_t stack_bytes);

/// The calling thread, which start() has made, goes on there; null: at home. It costs a comparison if it is there already.
void change_seat(processor* seat);
inline void go_to(processor* seat) {
  const body* const me = this_body;
  if (me == nullptr || me->on != seat || me->seat != seat) change_seat(seat);
}

}  // namespace weir::threads
