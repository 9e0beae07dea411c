// Ticks: a signal asks a body to yield if it spins.
//
// A body spins if it is found three times with the same registers, or at an instruction at which another body was found so. The
// signal is SIGURG, which programs hardly use, and which is ignored if nobody handles it. A tick goes to a thread that computes,
// never to a thread in a system call: the monitor has checked, and the functions of the C library that a signal might cut short
// announce that they begin (calls/calls.cpp). The handler of ticks does nothing to a body that is in a handler of the program, on
// an alternate stack, or under a signal mask that is not its own.
//
// The same signal makes a body leave a kernel thread that its owner needs: evict().
#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <span>

#include <sys/types.h>
#include <ucontext.h>

namespace weir::threads {

class processor;

/// What a tick is.
inline constexpr int tick_signal = SIGURG;
/// True: until release_ticks() the handler of ticks is installed. False: the program handles the signal itself.
bool hold_ticks();
void release_ticks();
bool is_handler_of_ticks(std::uintptr_t code);
/// Is an alternate stack of the program's large enough for the handler to begin there? If one is not, ticks come to no such
/// stacks any more.
bool has_room_for_tick(std::size_t bytes);
void never_tick_on_alternate_stacks();
/// Sends the signal to that kernel thread; the handler learns the value and the message. False: the system refuses.
bool send_tick_signal(pid_t thread, const void* value, int message = 0);
/// In the handler, before another body runs on this kernel thread, or the thread is parked: until then the handler blocks all
/// signals, but the mask shall be the body's. The code that was interrupted is not the C library's, so its signal for
/// cancellation does no harm now.
void let_signals_in(const ucontext_t& in);

/// Called by the monitor: sends a tick to the running bodies of these processors, unless the program handles the signal itself or
/// blocks it.
void tick(std::span<processor* const> processors);

/// Called by the monitor, for a processor whose kernel thread is blocked in a body's call, while the thread's own body waits to
/// come back. The blocked body goes on in its own kernel thread, and makes the call again there if the call can be repeated.
void evict(processor& from);

/// During the lifetime of this object the program's own setting for the signal is in force, and no tick is sent or pending: so
/// the program may query the handler of the signal, and change it. For other signals it does nothing. Async-signal-safe.
class without_tick_handler {
 public:
  explicit without_tick_handler(int number);
  without_tick_handler(const without_tick_handler&) = delete;
  ~without_tick_handler();
  /// The caller is the code that sends ticks.
  bool is_for_ticks() const { return number_is_ticks_ && !holds_; }

 private:
  const bool number_is_ticks_, holds_;
};
/// For the child of a fork, in which the holder does not exist.
void forget_tick_handler();

}  // namespace weir::threads
