// Ticks: a signal asks a body to yield if it spins.
//
// The body spins if it is found three times with the same registers, or at an instruction at which another one has been found
// so. The signal is SIGURG, which programs hardly use, and which is ignored where nobody handles it. A tick is sent to a thread
// that computes, never to one that is in a system call: the monitor has asked, and the functions of the C library that a signal
// might cut short say where they begin (calls.hpp). Its handler does nothing to a body in a handler of the program's, on an
// alternate stack, or whose signal mask is not the one that the program has asked for.
#pragma once

#include <span>

namespace weir::threads {

class processor;

/// By the monitor, to all that run there: nothing, where the program handles the signal itself, or blocks it.
void tick(std::span<processor* const> all);

/// In its lifetime the signal is handled as the program has said, and no tick is sent or waits to be handled: so the program may
/// ask who handles the signal, and change that. For other signals it does nothing. Async-signal-safe.
class without_tick_handler {
 public:
  explicit without_tick_handler(int number);
  without_tick_handler(const without_tick_handler&) = delete;
  ~without_tick_handler();

 private:
  bool holds_;
};
/// In the child of a fork: who held it is not there.
void forget_tick_handler();

}  // namespace weir::threads
