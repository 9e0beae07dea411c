// Bodies that poll a variable in a loop of their own.
//
// Such a body waits for another one, and would keep the processor. A tick finds it (messages.cpp), and makes it yield; later a
// trampoline in its loop does (trampolines.hpp). A handler that has interrupted the body executes an iteration of the loop on
// copies of its registers, and of what it reads, and looks what differs. The body itself goes on where it was.
//
// A loop counts as polling if it reads memory and writes none, and if no register differs after an iteration, but for those that
// count iterations and address no memory. It consists of the few instructions of x86-64 that compilers use for that.
#pragma once

#include <cstdint>

#include <ucontext.h>

#include "threads/polling/interpreter.hpp"

namespace weir::threads {

/// The loop to which the interrupted instruction belongs.
class polling {
 public:
  /// In a handler. Has it interrupted a loop that polls? Async-signal-safe.
  bool is_found_in(const ucontext_t& in);
  /// The loop's first and last instruction, wherever it has been interrupted.
  std::uintptr_t first() const { return first_; }
  std::uintptr_t last() const { return last_; }
  static constexpr unsigned longest_replaced = 8;  // bytes
  /// An instruction of each iteration that a jump may replace (trampolines.hpp): a `pause`, or else the first one of several
  /// nops, or else one that does the same wherever it lies, if a distance in it is changed.
  struct replaceable {
    std::uintptr_t at = 0;  // 0: there is none
    std::uint8_t text[longest_replaced] = {};
    unsigned bytes = 0;
    unsigned distance_at = 0;  // as `usage` says
    bool does_nothing = false;
  };
  const replaceable& may_replace() const { return may_replace_; }

 private:
  void find_ends(const registers& from, seen_memory& memory);

  std::uintptr_t first_ = 0, last_ = 0;
  replaceable may_replace_;
};

/// The `pause` at which the code is, or which it has just executed; 0: none.
std::uintptr_t pause_at(std::uintptr_t code);

// Other loops in which bodies wait are known by what ticks find again.

/// A hash of the registers of the interrupted body. In a body that computes, at least one register differs each time, such as the
/// counter of a loop or a floating-point sum; in a body that polls a word, all registers stay the same.
std::uint64_t hash_of_registers(const ucontext_t& in);
/// Instructions at which bodies have lately been found to spin. Neighbouring instructions do not count: a loop that computes may
/// be next to the loop that waits.
bool is_known_to_spin(std::uintptr_t code);
void note_spin(std::uintptr_t code);

}  // namespace weir::threads
