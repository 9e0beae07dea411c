// The alternate signal stacks of bodies.
//
// The kernel has one for each of its own threads, and every thread of a Rust program has one. So a body brings along the stack
// that it has in its own kernel thread, and a switch between bodies that have different ones tells the kernel.
#pragma once

#include <cstddef>
#include <cstdint>

#include <signal.h>

namespace weir::threads {

/// May a handler that begins on an alternate stack begin again on another one? AddressSanitizer, where Weir is compiled with it,
/// keeps its marks of the stack that the handler leaves.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
inline constexpr bool frames_can_be_copied = true;
#else
inline constexpr bool frames_can_be_copied = false;
#endif

struct alternate_stack {
  std::uint64_t number = 0;  // another one for each that a thread has got; 0: none
  stack_t stack{};
};

/// Called by a thread in its own kernel thread, before it gets another one or none.
void note_change_of_alternate_stack();
/// What the calling thread has, in its own kernel thread.
const alternate_stack& alternate_stack_of_thread();
/// The calling kernel thread has it from now on, or `without` where it is none. Its code runs on none that it has had before.
void set_alternate_stack(const alternate_stack& to, const stack_t& without);

// Stacks of Weir's, on which the handler of ticks begins in threads whose program has set none: what a tick interrupts may run on
// a stack that has no room for a signal's frame (fibres). Nobody's handler stays there: see interrupted.hpp.

/// The calling thread gets one in its own kernel thread, unless it has another stack already. If it is the program's, its own
/// stack is known from now on: for others than the first, if it has this number of bytes, and not 0.
enum class whose { first_thread, other_thread, of_weir };
void take_stack_for_ticks(whose owner, std::size_t bytes = 0);
/// Before it ends, in its own kernel thread.
void give_back_stack_for_ticks();
/// The one that the calling thread has taken; disabled: none.
stack_t stack_for_ticks();
/// The program has disabled its own.
void return_to_stack_for_ticks();
bool is_for_sender(const stack_t& which);
/// Does the calling thread run on its own stack, with so much room below? Yes, if nobody knows.
bool has_room_on_own_stack(std::uintptr_t stack, std::size_t bytes);

}  // namespace weir::threads
