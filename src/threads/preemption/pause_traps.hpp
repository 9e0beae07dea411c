// Traps at instructions by which a body waits: in a loop that polls a word of another body (polling.hpp), or `pause`.
//
// A tick (tick.hpp) finds such a body after some hundred microseconds. So once a tick has found a body there, a hardware breakpoint is
// set on the instruction, for the kernel thread of that processor: the next body that comes to it gets a signal at once, SIGTRAP,
// and yields [perf_event_open(2), PERF_TYPE_BREAKPOINT, sigtrap]. A trap costs an exception, a signal and a switch: 1 to 2 us, 10 to
// 20 where a hypervisor takes part in the exception. Only speed depends on traps: where the system refuses them, a debugger
// traces the process, or the program handles SIGTRAP, ticks remain.
//
// The events are files. They belong to the monitor's thread, whose files are apart from the program's, so they end with that
// thread.
#pragma once

#include <cstdint>

#include <sys/types.h>

#include <csignal>

namespace weir::threads {

class processor;

/// The `pause` at which the code is, or which it has just executed; 0: none.
std::uintptr_t pause_at(std::uintptr_t code);

/// In a handler: a body polls in the loop with this instruction (polling.hpp). Whether traps there are of use, is counted from now on.
void note_polling(std::uintptr_t code);

/// For the monitor's thread `generation`, when it looks at a processor that has ready bodies, which do nothing but spin: sets a trap
/// where one has been found since the last look.
void set_traps(processor& p, unsigned generation);
/// For the monitor: bodies of this processor also wait otherwise. Traps would only delay them.
void rest_traps(processor& p);
/// The same, once the processor has had no ready body at some looks.
void rest_traps_in_vain(processor& p);
/// For the monitor's thread: all of its traps go, because it ends; or if the program wants its signal back. The caller is a claimant.
void remove_traps(unsigned generation);
void give_up_traps_if_asked(unsigned generation);

/// The program is about to handle SIGTRAP itself. Returns when no trap can come any more, with the default in force. Nothing happens
/// where no traps have been set.
void give_up_traps();
/// Is that the handler of traps? To the program, the default is in force then.
bool is_handler_of_traps(const struct sigaction& its);
/// For the child of a fork, which has inherited no trap.
void forget_traps();

}  // namespace weir::threads
