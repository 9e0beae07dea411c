// The face of this room: all that others use of it.
//
// A thread that start() has made runs where it goes: on a virtual processor, its seat, or as a thread of the kernel. Processors
// are those of the program's threads, while these drive them, and helpers.
#pragma once

#include <cstddef>

#include "threads/processor.hpp"

namespace weir::threads {

// ---- may there be any?

/// Can a program here set its thread pointer, and may stacks be switched? Null: yes; else why not.
const char* why_not_here();
/// The same, if that is known already: without a question to the kernel. Thread-safe.
const char* why_not_any_more();
/// The program may use tiles (AMX) from now on: no team of members begins any more, since the switch leaves tiles where they are.
void tiles_are_permitted();
/// Null: bodies may run on processors in this process; else why not. Thread-safe.
const char* why_no_processors();

// ---- seats

/// Of the calling thread: the processor that drives it, or its own; if another one drives it just now, its own seat.
processor& seat();
/// The processors of the process besides those that its threads drive themselves: `which` counts from 0. Null: the system
/// refuses a thread. Thread-safe.
processor* helper(unsigned which);

// ---- threads for them

/// Makes a thread that begins with `run(what)`: on that processor, or, if it is null, detached. It ends detached.
/// `stack_bytes`: 0: as the system has it. 0, or why the system refuses (errno). Thread-safe.
int start(void (*run)(void*), void* what, processor* on, std::size_t stack_bytes);

/// Has start() made the calling thread?
inline bool is_started() { return own_body_of_thread() != nullptr; }
/// Does a virtual processor drive the calling thread, or does the thread drive one?
inline bool is_on_processor() { return this_body != nullptr; }

/// The calling thread, which start() has made, goes on there; null: detached.
void change_seat(processor* seat);
/// The same. Inlined: it costs two comparisons if the thread is there already.
inline void go_to(processor* seat) {
  const body* const me = this_body;
  if (me == nullptr || me->where() != seat || me->home() != seat) change_seat(seat);
}

// ---- the program's own

/// In its lifetime the calling thread drives the processor of its own. For a thread that is a body, or drives one already, it
/// does nothing.
class driving {
 public:
  driving();
  driving(const driving&) = delete;
  ~driving();

 private:
  const bool outermost_;
  const scheduling* const before_;
};

/// The calling thread, if it has a processor of its own, will not drive it, since others are to drive its body.
void close_own_processor();

}  // namespace weir::threads
