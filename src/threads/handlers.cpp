// The functions that set and query the handler of a signal. SIGURG, the signal of ticks, belongs to the program like any other: a
// query returns what the program has set, and no tick reaches a handler of the program.
//
// Each function is replaced separately, since the functions of the C library do not call each other by name.
#include <signal.h>

#include "threads/calls.hpp"
#include "threads/tick.hpp"

using weir::threads::without_tick_handler;

namespace {
using handler = void (*)(int);
}

#define CHANGES_HANDLER(result, name, parameters, number, arguments) \
  BEFORE(result, name, parameters) {                                 \
    auto* const next = next_##name.get();                            \
    const without_tick_handler meanwhile(number);                    \
    return next arguments;                                           \
  }

CHANGES_HANDLER(int, sigaction, (int of, const struct sigaction* to, struct sigaction* old), of, (of, to, old))
CHANGES_HANDLER(handler, signal, (int of, handler to), of, (of, to))
CHANGES_HANDLER(handler, bsd_signal, (int of, handler to), of, (of, to))
CHANGES_HANDLER(handler, ssignal, (int of, handler to), of, (of, to))
CHANGES_HANDLER(handler, sysv_signal, (int of, handler to), of, (of, to))
CHANGES_HANDLER(handler, __sysv_signal, (int of, handler to), of, (of, to))
CHANGES_HANDLER(int, sigignore, (int of), of, (of))
CHANGES_HANDLER(int, siginterrupt, (int of, int how), of, (of, how))
