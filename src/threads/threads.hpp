// The face of this room: everything that other rooms use.
//
// A thread that start() has created runs where it goes: on a virtual processor, its seat, or as a kernel thread. The processors
// are helpers, and those that threads of the program drive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "threads/processor.hpp"

namespace weir::threads {

// ---- may there be any?

/// Can a program set its thread pointer on this machine, and may it switch stacks? Null: yes; otherwise the reason why not.
const char* why_not_here();
/// The same as far as it is known already, without asking the kernel. Thread-safe.
const char* why_not_any_more();
/// The program may use tiles (AMX) from now on: no team of members begins any more, since the switch leaves tiles where they are.
void tiles_are_permitted();
/// Null: bodies may run on processors in this process; else why not. Thread-safe.
const char* why_no_processors();

// ---- seats

/// The processor that drives the calling thread, or the thread's own processor; if another processor drives it just now, its
/// seat.
processor& seat();
/// The processors of the process besides those that its threads drive themselves: `which` counts from 0. Null: the system
/// refuses a thread. Thread-safe.
processor* helper(unsigned which);

/// Where these processors of the machine are to run from now on, a bit for each: where the kernel lets them, and the program does not bind
/// its threads. Thread-safe.
void prefer(std::span<const std::uint64_t> processors);
/// The calling thread, if it drives a processor of its own, goes there, once after each change.
void go_to_preferred();

// ---- threads for them

/// Creates a thread that begins with `run(what)` on that processor, or detached if `on` is null. The thread ends detached.
/// `stack_bytes`: 0 is the system's default. Returns 0, or the reason why the system refuses (errno). Thread-safe.
int start(void (*run)(void*), void* what, processor* on, std::size_t stack_bytes);

/// The calling thread, which nobody here has made, may go to processors from now on; it begins detached. `parking`: the end of at
/// least parking_bytes of memory, where its kernel thread sleeps while it is attached.
void adopt(body& b, void* parking);
/// There is room for the frame of one signal, because the C library's own signals (for setuid and the like, in all threads) cannot
/// be blocked.
inline constexpr std::size_t parking_bytes = 16384;
/// Before that thread ends: it goes on detached, and the body may be destroyed.
void abandon(body& b);

/// Has start() made the calling thread?
inline bool is_started() {
  const body* const own = own_body_of_thread();
  return own != nullptr && !own->is_adopted;
}
/// Does a virtual processor drive the calling thread, or does the thread drive one?
inline bool is_on_processor() { return this_body != nullptr; }

/// The calling thread, which has a body of its own, goes on there; null: detached.
void change_seat(processor* seat);
/// The same. Inlined: it costs two comparisons if the thread is there already.
inline void go_to(processor* seat) {
  const body* const me = this_body;
  if (me == nullptr || me->where() != seat || me->home() != seat) change_seat(seat);
}

// ---- the program's own

/// From now on the threads that the program creates are members, on so many processors, where they are more than that
/// (program_threads.hpp).
void make_all_members(unsigned processors);

/// What has become of the program's threads until now.
struct history_of_threads {
  unsigned processors = 0;  // 0: its threads are not to be members
  unsigned most_at_once = 0, all = 0, members = 0;  // members: that have ever been on a virtual processor
  unsigned left_alone = 0;  // with a policy, a priority or an affinity of their own, or a driver's
  const char* why_none = nullptr;
};
/// Thread-safe.
history_of_threads program_threads_so_far();

/// During the lifetime of this object the calling thread drives its own processor. For a thread that is a body, or that already
/// drives a processor, it does nothing.
class driving {
 public:
  driving();
  driving(const driving&) = delete;
  ~driving();

 private:
  const bool outermost_;
  const scheduling* const before_;
};

/// If the calling thread has a processor of its own, the thread will not drive it, because others are to drive the thread's body.
/// Inside of a region of its own it does nothing: there the thread, or a stand-in, drives the processor.
void close_own_processor();

}  // namespace weir::threads
