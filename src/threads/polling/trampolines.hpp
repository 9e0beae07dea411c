// Trampolines in loops by which programs wait: in place of `pause`, of nops, or of another instruction.
//
// A body that polls in such a loop must give its processor to those it waits for. A tick finds the body after some hundred
// microseconds. So once a tick has found a body that polls, a jump replaces the `pause` of the loop, or the first one of some
// nops. In a loop without either, where ticks find bodies again and again, the jump replaces another instruction, and the
// trampoline has a copy of that one. The trampoline leads to trampoline_entry.cpp, where a member yields as in a handler, in a
// fraction of a microsecond. Threads that are not members only pause there, unless they become members.
//
// A jump is five bytes long, a `pause` two, a nop one, the others two to eight. Where they have less than five, the jump's last
// bytes are those that follow anyway, as part of the next instructions, and the trampoline lies where these bytes lead
// [instruction punning: Chamith, Svensson, Dalessandro and Newton, PLDI 2017]. Other instructions stay as they are. So nothing
// needs to be known about jumps into the loop, and threads may be anywhere in it meanwhile. Where the place for the trampoline is
// not free, ticks remain.
//
// No thread sees half of a jump, because a changed copy of the whole page takes the place of the page: mremap(2) does that under
// the lock that page faults wait for, and makes the other processors forget what they know of the page.
#pragma once

#include <cstdint>
#include <span>

#include <ucontext.h>

#include "threads/polling/trampoline_stages.hpp"

namespace weir::threads {

class polling;

/// Where all trampolines lead (preemption/trampoline_entry.hpp); null: there are none on this processor.
using trampoline_code = void (*)();
/// In a handler: a body polls there. True: the monitor has something to place. Async-signal-safe.
bool want_trampoline(const polling& loop, trampoline_code entry);
/// The same for a `pause` that begins there, in a loop that does more than poll, where a body has been found: it only yields
/// there.
bool want_trampoline_at_pause(std::uintptr_t code, trampoline_code entry);
/// Is there something to place, and does nobody place it now?
bool trampolines_are_wanted();
/// Begins a thread that places the trampolines that are wanted. It is a thread of its own because it waits for the dynamic
/// linker, which must not unload the code meanwhile.
void place_wanted_trampolines();
/// Is there a trampoline in place of this instruction, or in the loop with this first instruction?
bool has_trampoline(std::uintptr_t code);
/// The instruction in whose place a jump to `stub` is. `bytes`: 0, if that is no trampoline.
struct replaced {
  std::uintptr_t at = 0;
  unsigned bytes = 0;
  std::uint8_t text[8] = {};
};
replaced replaced_by(std::uintptr_t stub);
/// Is the instruction there a jump that leads to a trampoline? `code`: what begins there.
bool leads_to_trampoline(std::uintptr_t at, std::span<const std::uint8_t> code);
/// If the interrupted thread is in a trampoline's first instructions or at its copy, the thread is at the replaced instruction
/// instead. A handler of the program that looks where its thread is, or where a load has failed, finds the program's code.
void leave_stub(ucontext_t& in);
/// How many handlers of the program are running in the calling thread, at most, where the kernel calls all of them by a stub
/// (handlers.cpp): one that a long jump has left counts until somebody looks.
extern constinit thread_local unsigned handlers_running;
/// relaxed: written when the library is loaded, and when no stub is left.
extern constinit std::atomic<bool> all_handlers_count;
/// For the child of a fork, which has not inherited that thread, nor one whose handler wrote what it wanted.
void forget_placing();

}  // namespace weir::threads
