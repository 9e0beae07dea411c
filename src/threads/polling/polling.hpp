// Bodies that poll a variable in a loop of their own.
//
// Such a body waits for another one, and would keep the processor until a signal makes it yield (tick.hpp). Whenever it is its turn
// again, it would poll once, and need the next signal. So the signal's handler takes over the body's registers, and the processor
// executes the loop in the body's place: one iteration, whenever it is the body's turn. The body goes on where its loop ends, with the
// registers that it would have had.
//
// A loop counts as polling if it reads memory and writes none, and if no register differs after an iteration, but for those that count
// iterations and address no memory. It consists of the few instructions of x86-64 that compilers use for that.
#pragma once

#include <cstdint>

#include <ucontext.h>

#include "threads/polling/interpreter.hpp"
#include "threads/support/code.hpp"

namespace weir::threads {

/// Executes the loop to which the next instruction belongs, as long as it polls. For the thread that has the body.
class polling {
 public:
  /// In a handler. Has it interrupted a loop that polls? Async-signal-safe.
  bool begin(const ucontext_t& in);
  /// The same for code that is at a replaced instruction of a loop whose first and last instructions are known.
  bool begin_at_replaced(const registers& its, std::uintptr_t first, std::uintptr_t last);
  bool is_on() const { return is_on_; }
  /// The loop's first and last instruction.
  std::uintptr_t first() const { return first_; }
  std::uintptr_t last() const { return last_; }
  /// An instruction of each iteration that a jump may replace (trampolines.hpp): a `pause`, or else the first one of several nops, or
  /// else one that does the same wherever it lies.
  struct replaceable {
    std::uintptr_t at = 0;  // 0: there is none
    unsigned bytes = 0;
    bool does_nothing = false;
  };
  static constexpr unsigned longest_replaced = 8;  // bytes
  const replaceable& may_replace() const { return may_replace_; }
  /// Executes one iteration, or only looks whether it would read anything new. False: the loop has ended.
  bool polls_again();
  /// In the same handler, before it returns: the interrupted code goes on from here. Nothing happens unless it has begun.
  void end(ucontext_t& in);
  void end(registers& its);

 private:
  void find_ends(code_range within);
  void begins(code_range within);

  registers now_;
  // But for what it counts, and for the time, the loop goes on as long as these have the same values; none: that is not known.
  load same_[usage::kept_loads];
  unsigned loads_ = 0, looked_ = 0;
  bool counts_ = false, reads_time_ = false;
  std::uint64_t iterated_at_ = 0;  // in ticks
  std::uintptr_t begun_at_ = 0, first_ = 0, last_ = 0;  // of the loop's instructions
  replaceable may_replace_;
  bool is_on_ = false, has_begun_ = false;
};

/// Would the code come to the same instruction again, having only polled, by instructions that begin in this range? `used`: what an
/// iteration has used.
bool only_polls(const registers& from, code_range within, usage* used = nullptr);

/// The `pause` at which the code is, or which it has just executed; 0: none.
std::uintptr_t pause_at(std::uintptr_t code);

}  // namespace weir::threads
