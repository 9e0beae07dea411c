// Trampolines in loops by which programs wait: in place of `pause`, of nops, or of another instruction.
//
// A body that polls in such a loop must give its processor to those it waits for. A tick finds the body after some hundred
// microseconds, and a trap (pause_traps.hpp) costs an exception and a signal. So once a tick has found a body that polls, a jump replaces
// the `pause` of the loop, or the first one of some nops. In a loop without either, where ticks find bodies again and again, the jump
// replaces another instruction, and the trampoline has a copy of that one. The trampoline leads to trampoline_entry.cpp, where a member
// yields as in a handler, in a fraction of a microsecond. Threads that are not members only pause there, unless they become members.
//
// A jump is five bytes long, a `pause` two, a nop one, the others two to four. So the jump's last bytes are those that follow anyway, as
// part of the next instructions, and the trampoline lies where these bytes lead [instruction punning: Chamith, Svensson, Dalessandro and
// Newton, PLDI 2017]. Other instructions stay as they are. So nothing needs to be known about jumps into the loop, and threads may be
// anywhere in it meanwhile. Where the place for the trampoline is not free, traps and ticks remain.
//
// No thread sees half of a jump, because a changed copy of the whole page takes the place of the page: mremap(2) does that under the
// lock that page faults wait for, and makes the other processors forget what they know of the page.
#pragma once

#include <atomic>
#include <cstdint>

#include <ucontext.h>

namespace weir::threads {

class polling;

/// The addresses of the replaced instruction, and of the first and the last one of its loop; 0, if the loop does more than poll.
struct trampoline {
  /// writing: a handler writes what it wants.
  enum class stage { none, writing, wanted, placed, refused };
  std::atomic<std::uintptr_t> at{0};  // trampoline_entry.cpp has it as the first member
  // relaxed, all: written before the stage, or before the jump that leads here.
  std::atomic<std::uintptr_t> first{0}, last{0}, stub{0};
  std::atomic<std::uintptr_t> go_on{0};   // where the thread goes on: behind the instruction, or at its copy
  std::atomic<std::uint32_t> text{0};     // the instruction
  std::atomic<unsigned> bytes{0};
  std::atomic<unsigned> found{0};  // how often somebody was there and did not only poll
  std::atomic<stage> is{stage::none};

  /// `pause`, or a nop.
  bool does_nothing() const {
    const std::uint32_t its = text.load(std::memory_order_relaxed);
    return its == 0x90f3 || its == 0x90;
  }
};

/// Does this processor let a trampoline keep all registers that it has?
bool trampolines_keep_registers();
/// In a handler: a body polls there. True: the monitor has something to place. Async-signal-safe.
bool want_trampoline(const polling& its);
/// The same for a body that is at this address, where a `pause` begins, in a loop that does more than poll: it only yields there.
bool want_trampoline_at_pause(std::uintptr_t code);
/// For the monitor: begins a thread that places the trampolines that are wanted. It is a thread of its own because it waits for the
/// dynamic linker, which must not unload the code meanwhile.
void place_wanted_trampolines();
/// Is there a trampoline in place of this instruction, or in the loop with this first instruction?
bool has_trampoline(std::uintptr_t code);
/// What a jump to `stub` replaces. `behind`: the next instruction; 0: that is no trampoline. `copy`: 0, if it does nothing.
struct replaced {
  std::uintptr_t behind = 0, copy = 0;
};
replaced replaced_by(std::uintptr_t stub);
/// Is the instruction there a jump that leads to a trampoline? It must be readable.
bool leads_to_trampoline(std::uintptr_t code);
/// If the interrupted thread is in a trampoline's first instructions or at its copy, the thread is at the replaced instruction instead.
/// A handler of the program that looks where its thread is, or where a load has failed, finds the program's code.
void leave_stub(ucontext_t& in);
/// For the child of a fork, which has not inherited that thread, nor one whose handler wrote what it wanted.
void forget_placing();

}  // namespace weir::threads
