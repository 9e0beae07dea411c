// Bodies that poll a variable in a loop of their own.
//
// Such a body waits for another one, and would keep the processor until a signal makes it yield (tick.hpp, pause_traps.hpp). Whenever
// it is its turn again, it would poll once, and need the next signal. So the signal's handler takes over the body's registers, and
// the processor executes the loop in the body's place: one iteration, whenever it is the body's turn. The body goes on where its loop
// ends, with the registers that it would have had.
//
// A loop counts as polling if it reads memory and writes none, and if no register differs after an iteration, but for those that count
// iterations and address no memory. It consists of the few instructions of x86-64 that compilers use for that.
#pragma once

#include <cstdint>

#include <ucontext.h>

namespace weir::threads {

/// What a program sees of a processor between two instructions.
struct registers {
  std::uint64_t all[16] = {};  // rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, ...: as instructions number them
  std::uint64_t flags = 0;     // as in EFLAGS
  std::uintptr_t code = 0;     // the next instruction
};

/// Executes the loop to which the next instruction belongs, as long as it polls. For the thread that has the body.
class polling {
 public:
  /// In a handler. Has it interrupted a loop that polls? Async-signal-safe.
  bool begin(const ucontext_t& in);
  bool is_on() const { return is_on_; }
  /// While it is: an instruction that is executed in each iteration, mostly the first one.
  std::uintptr_t at() const { return begun_at_; }
  /// Executes one iteration. False: the loop has ended.
  bool goes_round();
  /// In the same handler, before it returns: the interrupted code goes on from here. Nothing happens unless it has begun.
  void end(ucontext_t& in);

 private:
  void find_ends();

  registers now_;
  std::uintptr_t begun_at_ = 0, first_ = 0, last_ = 0;  // of the loop's instructions
  bool is_on_ = false, has_begun_ = false;
};

/// Is that the code of Weir's library? Loops there know how to yield, and a trap in code that the handler of traps executes would
/// never end. In a program that contains Weir, because it is linked with it, the two cannot be told apart: false.
bool is_own_code(std::uintptr_t code);
/// Executes the next instruction. False: it writes memory, calls, or is not one of those that are known here; nothing is changed.
bool execute_polling(registers& its);
/// Would the code come to the same instruction again, having only polled?
bool only_polls(const registers& from);

}  // namespace weir::threads
